// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.pollux.micro.harness.Command;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A way of running the ring in a process of its own.
 *
 * @param java whether it is Java
 * @param command the command line up to what the plan adds
 */
record Way(String name, boolean java, List<String> command) {
    static final String FLOOR = "c-epoll";
    static final String C = "c-pollux-epoll";
    static final String C_POLL = "c-pollux-poll";
    static final String POLLER = "java-poller";
    static final String POLLUX = "java-selector-pollux";
    static final String JDK = "java-selector-jdk";

    /** Reads and writes samples, in the names of {@code micro/ring.c}. */
    static final Gson JSON =
            new GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    private static final List<String> COUNTED =
            List.of("epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl", "poll", "ppoll", "read", "write");
    private static final int FEW = 1_000;
    private static final int MANY = 5_000;

    /** All of them. Argument: {@code micro/ring.c} as a program. */
    static List<Way> all(String program) throws IOException {
        List<Way> ways = new ArrayList<>(List.of(
                new Way(FLOOR, false, List.of(program, "--bare=epoll")),
                new Way("c-epoll-raw", false, List.of(program, "--bare=epoll", "--raw")),
                new Way("c-poll", false, List.of(program, "--bare=poll"))));
        for (String mechanism : Command.output(List.of(program, "--list")).strip().split(",")) {
            ways.add(new Way("c-pollux-" + mechanism, false, List.of(program, "--mechanism=" + mechanism)));
        }
        ways.add(new Way(POLLER, true, java("poller")));
        ways.add(new Way(POLLUX, true, java("selector", JavaProcess.provider("dev.pollux.PolluxSelectorProvider"))));
        ways.add(new Way(JDK, true, java("selector")));
        return ways;
    }

    private static List<String> java(String kind, String... options) {
        List<String> all = new ArrayList<>(JavaProcess.quiet());
        all.addAll(List.of(options));
        return JavaProcess.command(all, Loop.class, kind);
    }

    /** Runs it for the time that the plan says. */
    Sample measure(Plan plan, int pipes) throws IOException {
        List<String> all = new ArrayList<>(command);
        if (java) {
            all.addAll(ring(plan, pipes));
            all.addAll(List.of("" + plan.warmUp(), "" + plan.seconds()));
        } else {
            all.addAll(List.of("--idle=" + plan.idle(), "--pipes=" + pipes, "--tokens=" + plan.tokens(),
                    "--seconds=" + plan.seconds()));
        }
        return JSON.fromJson(Command.output(all), Sample.class);
    }

    /** The system calls of one read, by strace: Java cannot count its own. Those of the start are in both runs. */
    double systemCallsPerRead(Plan plan, int pipes) throws IOException {
        return (countCalls(plan, pipes, MANY) - countCalls(plan, pipes, FEW)) / (MANY - FEW);
    }

    private double countCalls(Plan plan, int pipes, int reads) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(ring(plan, pipes));
        all.add("" + reads);
        return SystemCalls.count(COUNTED, all);
    }

    @Override
    public String toString() {
        return name;
    }

    private static List<String> ring(Plan plan, int pipes) {
        return List.of(plan.idle().name(), "" + pipes, "" + plan.tokens());
    }
}
