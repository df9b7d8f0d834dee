// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The measured virtual machine: answers each line "KIND MODE SIZE WARM-UP MEASURED", the times in milliseconds, with a
 * {@link Sample}. KIND is one of {@link Kind} or {@link #ASYNCHRONOUS}.
 */
final class Pinger {
    static final String ASYNCHRONOUS = "asynchronous";

    private Pinger() { }

    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        String question;
        while ((question = questions.readLine()) != null) {
            String[] words = question.split(" ");
            System.out.println(new Gson().toJson(measure(words[0], Mode.valueOf(words[1]), Integer.parseInt(words[2]),
                    new Trips(nanos(words[3]), nanos(words[4])))));
        }
    }

    private static Sample measure(String kind, Mode mode, int size, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        if (kind.equals(ASYNCHRONOUS)) {
            Asynchronous.exchange(mode, size, trips);
        } else {
            Synchronous.exchange(Kind.valueOf(kind.toUpperCase(Locale.ROOT)), mode, size, trips);
        }
        return trips.sample();
    }

    private static long nanos(String millis) {
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(millis));
    }
}
