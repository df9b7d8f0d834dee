// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.ring;

import dev.pollux.micro.programs.common.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A way of running the ring in a process of its own: its name, whether it is Java, and the command line up to what the plan adds. */
record Way(String name, boolean java, List<String> command) {
    static final String FLOOR = "c-epoll";
    static final String C = "c-pollux-epoll";
    static final String C_POLL = "c-pollux-poll";
    static final String POLLER = "java-poller";
    static final String POLLUX = "java-selector-pollux";
    static final String JDK = "java-selector-jdk";

    /** All of them. Argument: {@code micro/ring.c} as a program. */
    static List<Way> all(String program) throws IOException {
        List<Way> ways = new ArrayList<>(List.of(
                new Way(FLOOR, false, List.of(program, "--bare=epoll")),
                new Way("c-epoll-raw", false, List.of(program, "--bare=epoll", "--raw")),
                new Way("c-poll", false, List.of(program, "--bare=poll"))));
        for (String mechanism : Processes.output(List.of(program, "--list")).strip().split(",")) {
            ways.add(new Way("c-pollux-" + mechanism, false, List.of(program, "--mechanism=" + mechanism)));
        }
        ways.add(new Way(POLLER, true, java("poller")));
        ways.add(new Way(POLLUX, true, java("selector", Child.provider("dev.pollux.PolluxSelectorProvider"))));
        ways.add(new Way(JDK, true, java("selector")));
        return ways;
    }

    private static List<String> java(String kind, String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Child.quiet());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Loop.class.getName(), kind));
        return command;
    }

    /** Runs it for the time that the plan says. */
    Sample measure(Plan plan, int pipes) throws IOException {
        List<String> all = new ArrayList<>(command);
        if (java) {
            all.addAll(ring(plan, pipes));
            all.addAll(List.of("" + plan.warmUp(), "" + plan.seconds()));
        } else {
            all.addAll(List.of("--idle=" + plan.idle(), "--pipes=" + pipes, "--tokens=" + plan.tokens(), "--seconds=" + plan.seconds()));
        }
        return Processes.sample(all);
    }

    /** The command that makes so many reads: Java only. */
    List<String> reading(Plan plan, int pipes, long reads) {
        List<String> all = new ArrayList<>(command);
        all.addAll(ring(plan, pipes));
        all.add("" + reads);
        return all;
    }

    private static List<String> ring(Plan plan, int pipes) {
        return List.of(plan.idle().name(), "" + pipes, "" + plan.tokens());
    }
}
