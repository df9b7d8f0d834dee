// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import dev.pollux.internal.compare.Colleague.Measurement;
import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.internal.tool.Arguments;
import dev.pollux.internal.tool.Command.Option;
import dev.pollux.internal.tool.Command;
import dev.pollux.internal.tool.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code java -jar pollux.jar compare}: the JDK's selector and socket calls beside ours, on this machine and this JDK.
 * Used by one thread.
 */
public final class Compare {
    /** The command. */
    public static final Command COMMAND = new Command("compare", "measures the JDK's selector beside Pollux here", "",
            List.of(new Option("--seconds N", "how long to measure, 1 to 3600; default: 40"), new Option("--json",
                    "print one JSON object; the verdict of each case is faster, slower or same")), """
            Compares the JDK's selector and socket calls with Pollux's on this machine and this JDK, in virtual
            machines of their own that take turns. Stop what else keeps the machine busy first.
            """, """
            A line has the time of one operation with each, the median of the ratios of all rounds with the interval
            that holds it in 95 of 100 cases, and the bytes that one operation allocates. Below 1 Pollux is faster.
            """, "nothing could be measured", Compare::run);
    private static final int MIN_SECONDS = 1;
    private static final int MAX_SECONDS = 3600;
    private static final int DEFAULT_SECONDS = 40;

    private static final String PROVIDER = "-Djava.nio.channels.spi.SelectorProvider=";
    private static final String POLLUX = "dev.pollux.PolluxSelectorProvider";

    /** How long a turn takes, and how often each is warmed up for as long. Fewer rounds than these tell nothing. */
    private static final long TURN_MILLIS_PER_SECOND = 2;
    private static final long MAX_TURN_MILLIS = 80;
    private static final int WARM_UPS = 4;
    private static final int MIN_ROUNDS = 6;

    /**
     * Who measures first finds the processors still awake from the case before: its round trips are shorter. So the
     * JDK's, ours and the JDK's once more have each place as often.
     */
    private static final int[][] ORDERS = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}};

    private static final int SPIN_MICROS = 50;
    private static final String SPIN = "round trip, spin of " + SPIN_MICROS + " us";
    private static final String LOOP = "event loop, " + EventLoop.CONNECTIONS + " requests";
    private static final String BATCH = "all";

    /** Rows for which something is repeated by who has options of its own. */
    private static final Map<String, String> SAME_AS = Map.of("spin", "roundTrip", "batch", "eventLoop");

    private final PrintStream out;
    private long turnMillis;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    private Compare(PrintStream out) {
        this.out = out;
    }

    private static boolean run(Arguments arguments, PrintStream out) throws IOException {
        long seconds = arguments.number("--seconds", MIN_SECONDS, MAX_SECONDS, DEFAULT_SECONDS);
        new Compare(out).measure(seconds, arguments.has("--json"));
        return true;
    }

    private void measure(long seconds, boolean json) throws IOException {
        turnMillis = Math.min(MAX_TURN_MILLIS, TURN_MILLIS_PER_SECOND * seconds);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try (Colleague jdk = new Colleague(List.of()); Colleague again = new Colleague(List.of());
                Colleague pollux = new Colleague(List.of(PROVIDER + POLLUX));
                Colleague spinning = new Colleague(List.of(PROVIDER + POLLUX, "-Ddev.pollux.spin=" + SPIN_MICROS));
                Colleague batching = new Colleague(List.of(PROVIDER + POLLUX, "-Ddev.pollux.batch=" + BATCH))) {
            requireBoth(jdk, pollux);
            row("select1", "selection, 1 ready key");
            row("select100", "selection, 100 ready keys");
            row("selectMost", "selection, " + pollux.mostReady + " ready keys");
            row("wakeup", "wakeup and selection");
            row("interest", "interest off, on, 2 selections");
            row("transfer", "write and read of a socket, 1 KiB");
            row("roundTrip", "round trip between threads");
            row("spin", SPIN);
            row("eventLoop", LOOP);
            Map<String, Colleague> special = new LinkedHashMap<>(Map.of("spin", spinning));
            if (batching.batches.equals(BATCH)) {
                row("batch", LOOP + ", batch=" + BATCH);
                special.put("batch", batching);
            }
            for (int i = 0; i < WARM_UPS; i++) {
                round(i, jdk, pollux, again, special, false);
            }
            int rounds = 0;
            while (rounds < MIN_ROUNDS || System.nanoTime() < end) {
                round(rounds, jdk, pollux, again, special, true);
                rounds++;
            }
            print(rounds, jdk, pollux, batching.batches, json);
        }
    }

    private void row(String name, String label) {
        rows.put(name, new Row(label));
    }

    /** The JDK's must be the JDK's: an agent in JAVA_TOOL_OPTIONS would make it ours. */
    private static void requireBoth(Colleague jdk, Colleague pollux) throws IOException {
        if (jdk.selectorClass.startsWith("dev.pollux.") || !jdk.socketCalls.equals(SocketCalls.NOT_STARTED)) {
            throw new IOException("the JDK's own selector is not to be had: something makes every program run on"
                    + " Pollux, perhaps JAVA_TOOL_OPTIONS or JDK_JAVA_OPTIONS. Unset it for this command");
        }
        if (!pollux.selectorClass.startsWith("dev.pollux.")) {
            throw new IOException("Pollux's selector is not to be had, but " + pollux.selectorClass);
        }
    }

    /** Who has options of its own does what another one does without them. */
    private void round(int number, Colleague jdk, Colleague pollux, Colleague again, Map<String, Colleague> special,
            boolean counts) throws IOException {
        for (Map.Entry<String, Row> row : rows.entrySet()) {
            String name = SAME_AS.getOrDefault(row.getKey(), row.getKey());
            Colleague[] three = {jdk, special.getOrDefault(row.getKey(), pollux), again};
            Measurement[] measured = new Measurement[three.length];
            for (int next : ORDERS[number % ORDERS.length]) {
                measured[next] = three[next].measure(name, turnMillis);
            }
            if (counts) {
                row.getValue().add(measured[0], measured[1], measured[2]);
            }
        }
    }

    private void print(int rounds, Colleague jdk, Colleague pollux, String batches, boolean json) {
        if (json) {
            out.println(new JsonObject().put("jdk", Runtime.version().toString())
                    .put("jdkSelector", jdk.selectorClass)
                    .put("rounds", rounds)
                    .put("cases", rows.values().stream().map(Row::json).toList())
                    .put("socketCalls", pollux.socketCalls)
                    .put("batches", batches)
                    .put("summary", summary()));
            return;
        }
        out.println("JDK " + Runtime.version() + ", " + jdk.selectorClass + " and Pollux in turn, " + rounds
                + " rounds; bytes are those that one operation allocates");
        out.println();
        out.println(Row.TABLE.head());
        rows.values().forEach(row -> out.println(Row.TABLE.row(row)));
        out.println();
        rows.values().forEach(row -> out.println(row.label + ": " + row.sentence() + '.'));
        if (pollux.mostReady < 1000) {
            out.println("Not 1000 keys, but " + pollux.mostReady + ": raise the limit of open files (ulimit -n).");
        }
        if (rows.values().stream().noneMatch(Row::countsBytes)) {
            out.println("Bytes were not counted: this runtime lacks the module jdk.management.");
        }
        out.println("System calls of sockets on Pollux here: " + pollux.socketCalls + '.');
        out.println("-Ddev.pollux.batch=" + BATCH + " here: " + (batches.equals(BATCH) ? "possible" : batches) + '.');
        out.println();
        out.println(summary());
    }

    private String summary() {
        long faster = rows.values().stream().filter(row -> row.difference() < 0).count();
        long slower = rows.values().stream().filter(row -> row.difference() > 0).count();
        return "Of " + rows.size() + " operations Pollux is faster in " + faster + ", slower in " + slower
                + ", and not different beyond noise in " + (rows.size() - faster - slower) + ". A server spends most of"
                + " its time elsewhere, in its own code and in the kernel, so expect less of the whole: measure it.";
    }
}
