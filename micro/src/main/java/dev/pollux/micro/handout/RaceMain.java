// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * The measured virtual machine: answers each line "WAY LOAD THREADS MEMBERS BATCH WARM-UP MEASURED", the times in
 * milliseconds, with a {@link Sample}.
 */
final class RaceMain {
    private RaceMain() {
    }

    public static void main(String[] args) throws Exception {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = questions.readLine()) != null; ) {
            String[] words = line.split(" ");
            try (Race race = new Race(Way.valueOf(words[0]), Integer.parseInt(words[3]), Integer.parseInt(words[4]))) {
                System.out.println(new Gson().toJson(race.run(Load.valueOf(words[1]), Integer.parseInt(words[2]),
                        Long.parseLong(words[5]), Long.parseLong(words[6]))));
            }
        }
    }
}
