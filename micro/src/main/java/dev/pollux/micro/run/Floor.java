// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.harness.Command;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures the system calls of a case alone, in the C program. */
final class Floor {
    private final Plan plan;

    Floor(Plan plan) {
        this.plan = plan;
    }

    /** Runs the program once, with glibc's wrappers ({@code libc}) or without them ({@code raw}). */
    Sample run(Case what, String mechanism, String calls) throws IOException {
        String millis = Integer.toString(plan.iterations() * plan.millis());
        String output = Command.output(
                List.of(plan.floor().toString(), what.name(), mechanism, calls, what.load(), millis));
        Map<String, Double> nanos = new HashMap<>();
        output.lines().map(line -> line.split(" ")).forEach(words -> nanos.put(words[0], Double.valueOf(words[1])));
        return new Sample(nanos, 0, 0);
    }
}
