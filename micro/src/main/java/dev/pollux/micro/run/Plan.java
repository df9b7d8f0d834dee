// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What the command line asked for. Immutable.
 *
 * @param rounds how many forks each provider gets per benchmark
 * @param warmups warm-up iterations of a fork
 * @param iterations measured iterations of a fork
 * @param millis length of an iteration
 * @param only benchmarks whose name with its parameter matches
 * @param virtual whether virtual threads measure
 * @param cpu whether the table shows processor time, for machines that do other things too
 * @param pairs what is compared
 * @param options each makes one more row of {@link #WITH_OPTIONS}, where Pollux's virtual machine has it
 * @param floor the compiled floor program
 * @param json where the figures go
 */
record Plan(int rounds, int warmups, int iterations, int millis, Pattern only, boolean virtual, boolean cpu,
        List<Pair> pairs, List<String> options, Path floor, Path json) {

    /** The label of the case that is repeated with options. */
    static final String WITH_OPTIONS = "WakeupRoundTrip 2";

    private static final List<String> SPINNING = List.of("-Ddev.pollux.spin=50");

    static final String USAGE = """
            usage: micro/run.sh [quick|full] [options]
                   micro/run.sh --plot FILE...    the table and docs/*.svg of earlier runs
              quick              short forks, 3 rounds (the default)
              full               long forks, 5 rounds
              --rounds N         forks of each provider per benchmark
              --millis N         length of one iteration, in milliseconds
              --only REGEX       benchmarks to run, e.g. 'SelectOne 1000$|Wakeup'
              --mechanism NAME   epoll or poll; both if not given
              --pair BASE:OTHER  two provider classes to compare instead
              --cpu              show processor time instead of elapsed time: for a busy machine
              --virtual          measure in virtual threads (JDK 21 or newer)
              --pollux-option=X  WakeupRoundTrip 2 once more, with this option for Pollux's virtual machine,
                                 instead of -Ddev.pollux.spin=50; may be repeated
              --jdk DIR          the JDK to run on
              --no-build         use what was built before
            """;

    static Plan parse(String[] args) {
        Deque<String> left = new ArrayDeque<>(List.of(args));
        Plan plan = new Plan(3, 3, 3, 200, Pattern.compile(""), false, false, Pair.ALL, List.of(),
                Path.of(left.remove()), Path.of(left.remove()));
        List<Pair> own = new ArrayList<>();
        List<String> options = new ArrayList<>();
        while (!left.isEmpty()) {
            String word = left.remove();
            switch (word) {
                case "quick" -> plan = plan.sized(3, 3, 3, 200);
                case "full" -> plan = plan.sized(5, 5, 5, 500);
                case "--rounds" -> plan = plan.sized(number(left), plan.warmups, plan.iterations, plan.millis);
                case "--millis" -> plan = plan.sized(plan.rounds, plan.warmups, plan.iterations, number(left));
                case "--only" -> plan = plan.chosen(Pattern.compile(value(left)), plan.virtual, plan.cpu);
                case "--virtual" -> plan = plan.chosen(plan.only, true, plan.cpu);
                case "--cpu" -> plan = plan.chosen(plan.only, plan.virtual, true);
                case "--mechanism" -> own.add(Pair.ofMechanism(value(left)));
                case "--pair" -> own.add(Pair.parse(value(left)));
                default -> options.add(option(word));
            }
        }
        if (plan.virtual && plan.cpu) {
            throw new IllegalArgumentException(
                    "--cpu can't be had with --virtual: no JDK measures the processor time of a virtual thread");
        }
        return plan.compared(own.isEmpty() ? Pair.ALL : List.copyOf(own),
                options.isEmpty() ? SPINNING : List.copyOf(options));
    }

    private static String option(String word) {
        String prefix = "--pollux-option=";
        if (!word.startsWith(prefix + "-")) {
            throw new IllegalArgumentException("unknown option " + word + "\n" + USAGE);
        }
        return word.substring(prefix.length());
    }

    private static String value(Deque<String> left) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException("the last option needs a value\n" + USAGE);
        }
        return left.remove();
    }

    private static int number(Deque<String> left) {
        int number = Integer.parseInt(value(left));
        if (number < 1) {
            throw new IllegalArgumentException("numbers must be 1 or more, not " + number + "\n" + USAGE);
        }
        return number;
    }

    private Plan sized(int newRounds, int newWarmups, int newIterations, int newMillis) {
        return new Plan(newRounds, newWarmups, newIterations, newMillis, only, virtual, cpu, pairs, options, floor,
                json);
    }

    private Plan chosen(Pattern newOnly, boolean newVirtual, boolean newCpu) {
        return new Plan(rounds, warmups, iterations, millis, newOnly, newVirtual, newCpu, pairs, options, floor, json);
    }

    private Plan compared(List<Pair> newPairs, List<String> newOptions) {
        return new Plan(rounds, warmups, iterations, millis, only, virtual, cpu, newPairs, newOptions, floor, json);
    }
}
