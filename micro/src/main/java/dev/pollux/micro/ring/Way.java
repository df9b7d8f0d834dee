// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import com.google.gson.Gson;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Command;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.ring.Ring.Sample;
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

    /** All of them. */
    static List<Way> all() throws IOException {
        String program = Child.program("ring");
        List<Way> ways = new ArrayList<>(List.of(
                new Way(FLOOR, false, List.of(program, "--bare=epoll")),
                new Way("c-epoll-raw", false, List.of(program, "--bare=epoll", "--raw")),
                new Way("c-poll", false, List.of(program, "--bare=poll"))));
        for (String mechanism : Command.output(List.of(program, "--list")).strip().split(",")) {
            ways.add(new Way("c-pollux-" + mechanism, false, List.of(program, "--mechanism=" + mechanism)));
        }
        ways.add(new Way("java-poller", true, java("poller")));
        ways.add(new Way("java-selector-pollux", true, java("selector", JavaProcess.POLLUX)));
        ways.add(new Way("java-selector-jdk", true, java("selector")));
        return ways;
    }

    private static List<String> java(String kind, String... options) {
        return JavaProcess.command(JavaProcess.quiet(options), Ring.class, kind);
    }

    /** Runs it for some seconds. */
    Sample measure(int pipes, int tokens, double warmUp, double seconds) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(java ? List.of("" + pipes, "" + tokens, "" + warmUp, "" + seconds)
                : List.of("--pipes=" + pipes, "--tokens=" + tokens, "--seconds=" + seconds));
        return new Gson().fromJson(Command.output(all), Sample.class);
    }

    @Override
    public String toString() {
        return name;
    }
}
