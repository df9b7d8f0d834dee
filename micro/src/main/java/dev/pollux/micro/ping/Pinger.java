// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import com.google.gson.Gson;
import java.io.IOException;
import java.util.concurrent.ExecutionException;

/** The measured virtual machine: "WAY MODE SIZE WARM-UP SECONDS", where WAY is the first word of a way's name. */
final class Pinger {
    private Pinger() {
    }

    /** Prints a {@link Sample}. */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        Mode mode = Mode.valueOf(args[1]);
        int size = Integer.parseInt(args[2]);
        Trips trips = new Trips(nanos(args[3]), nanos(args[4]));
        if (args[0].equals("asynchronous")) {
            Asynchronous.exchange(mode, size, trips);
        } else {
            Synchronous.exchange(args[0], mode, size, trips);
        }
        System.out.println(new Gson().toJson(trips.sample()));
    }

    private static long nanos(String seconds) {
        return (long) (Double.parseDouble(seconds) * 1e9);
    }
}
