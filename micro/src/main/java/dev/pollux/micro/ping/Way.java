// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import com.google.gson.Gson;
import dev.pollux.micro.harness.JavaProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A way of waiting in a virtual machine of its own.
 *
 * @param kind what {@link Pinger} knows it by
 * @param options of the java command
 */
record Way(String name, String kind, List<String> options) {
    static final String JDK = "selector-jdk";
    static final String POLLUX = "selector-pollux";
    private static final String PROVIDER = "dev.pollux.PolluxSelectorProvider";

    /** All of them; spins are in microseconds. */
    static List<Way> all(List<Integer> spins) {
        List<Way> ways = new ArrayList<>(List.of(
                of("blocking", Kind.BLOCKING),
                of("busy", Kind.BUSY),
                of(JDK, Kind.SELECTOR),
                of(POLLUX, Kind.SELECTOR, JavaProcess.provider(PROVIDER))));
        for (int spin : spins) {
            ways.add(of(spinning(spin), Kind.SELECTOR, JavaProcess.provider(PROVIDER), "-Ddev.pollux.spin=" + spin));
        }
        ways.add(new Way(Pinger.ASYNCHRONOUS, Pinger.ASYNCHRONOUS, List.of()));
        ways.add(of("poller", Kind.POLLER));
        return ways;
    }

    static String spinning(int spin) {
        return POLLUX + "-spin-" + spin;
    }

    private static Way of(String name, Kind kind, String... options) {
        return new Way(name, kind.name().toLowerCase(Locale.ROOT), List.of(options));
    }

    /** Runs it in a fresh virtual machine. */
    Sample measure(Mode mode, int size, double warmUp, double seconds) throws IOException {
        List<String> all = new ArrayList<>(JavaProcess.quiet());
        all.addAll(options);
        try (JavaProcess child = new JavaProcess(all, Pinger.class)) {
            return new Gson().fromJson(child.ask(kind + " " + mode.name() + " " + size + " " + Math.round(warmUp * 1e3)
                    + " " + Math.round(seconds * 1e3)), Sample.class);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
