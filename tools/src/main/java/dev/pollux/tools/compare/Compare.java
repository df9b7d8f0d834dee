// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import com.grack.nanojson.JsonObject;
import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.tools.common.Json;
import dev.pollux.tools.compare.WorkerProcess.Measurement;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code java -jar pollux-tools.jar compare}: measures the JDK's selector and socket calls beside ours here. */
@Command(name = "compare", description = {"Measures the JDK's selector beside Pollux here.",
        "Compares the JDK's selector and socket calls with Pollux's on this machine and this JDK, in virtual machines"
                + " of their own that take turns. Stop what else keeps the machine busy first."},
        footer = {"", "A line has the time of one operation with each, the median of the ratios of all rounds with the"
                + " interval that holds it in 95 of 100 cases, and the bytes that one operation allocates. Below 1"
                + " Pollux is faster. The last line says what an event loop gains here, if anything."})
public final class Compare implements Callable<Integer> {
    private static final int MIN_SECONDS = 1;
    private static final int MAX_SECONDS = 3600;
    private static final String POLLUX = "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider";

    /** The time of a turn, the number of turns for warm-up, and the least number of rounds that tell something. */
    private static final long TURN_MILLIS_PER_SECOND = 2;
    private static final long MAX_TURN_MILLIS = 80;
    private static final int WARM_UPS = 4;
    private static final int MIN_ROUNDS = 6;

    /**
     * The first one to measure finds the processors still awake from the case before: its round trips are shorter. So
     * the JDK's, ours and the JDK's once more have each place as often.
     */
    private static final int[][] ORDERS = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}};

    private static final int SPIN_MICROS = 50;
    private static final String LOOP = "event loop, " + Cases.CONNECTIONS + " requests";
    private static final String LOOP_CASE = "eventLoop";
    private static final String BATCH = "all";

    @Spec
    private CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "40",
            description = "how long to measure, 1 to 3600; default: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(names = "--json", description = "print one JSON object; the verdict of each case is faster, slower or same")
    private boolean isJson;

    private final List<Comparison> comparisons = new ArrayList<>();

    /** A turn of an event loop: the default beside the JDK, a batch beside the JDK, and a batch beside the default. */
    private final Row byDefault = new Row(LOOP);
    private final Row byBatch = new Row(LOOP + ", batch=" + BATCH);
    private final Row overDefault = new Row(LOOP + ", batch=" + BATCH + " beside the default");

    /** A case, the two processes whose difference is noise, the one that is compared with them, and what was found. */
    private record Comparison(String name, WorkerProcess base, WorkerProcess again, WorkerProcess pollux, Row row) {
    }

    @Override
    public Integer call() throws IOException {
        if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) {
            throw new ParameterException(spec.commandLine(), "wrong --seconds: " + seconds);
        }
        long turnMillis = Math.min(MAX_TURN_MILLIS, TURN_MILLIS_PER_SECOND * seconds);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try (WorkerProcess jdk = new WorkerProcess(); WorkerProcess again = new WorkerProcess();
                WorkerProcess pollux = new WorkerProcess(POLLUX);
                WorkerProcess polluxAgain = new WorkerProcess(POLLUX);
                WorkerProcess spinning = new WorkerProcess(POLLUX, "-Ddev.pollux.busypoll=" + SPIN_MICROS);
                WorkerProcess batching = new WorkerProcess(POLLUX, "-Ddev.pollux.batch=" + BATCH)) {
            requireBoth(jdk, pollux);
            add("select1", jdk, again, pollux, "selection, 1 ready key");
            add("select100", jdk, again, pollux, "selection, 100 ready keys");
            add("selectMax", jdk, again, pollux, "selection, " + pollux.maxReady + " ready keys");
            add("wakeup", jdk, again, pollux, "wakeup and selection");
            add("interest", jdk, again, pollux, "interest off, on, 2 selections");
            add("transfer", jdk, again, pollux, "write and read of a socket, 1 KiB");
            add("roundTrip", jdk, again, pollux, "round trip between threads");
            add("roundTrip", jdk, again, spinning, "round trip, spin of " + SPIN_MICROS + " us");
            comparisons.add(new Comparison(LOOP_CASE, jdk, again, pollux, byDefault));
            if (batching.batches.equals(BATCH)) {
                comparisons.add(new Comparison(LOOP_CASE, jdk, again, batching, byBatch));
                comparisons.add(new Comparison(LOOP_CASE, pollux, polluxAgain, batching, overDefault));
            }
            for (int i = 0; i < WARM_UPS; i++) {
                round(i, turnMillis, false);
            }
            int rounds = 0;
            while (rounds < MIN_ROUNDS || System.nanoTime() < end) {
                round(rounds, turnMillis, true);
                rounds++;
            }
            print(spec.commandLine().getOut(), rounds, jdk, pollux, batching.batches);
        }
        return ExitCode.OK;
    }

    private void add(String name, WorkerProcess jdk, WorkerProcess again, WorkerProcess pollux, String label) {
        comparisons.add(new Comparison(name, jdk, again, pollux, new Row(label)));
    }

    /** The JDK's must be the JDK's: an agent in JAVA_TOOL_OPTIONS would make it ours. */
    private static void requireBoth(WorkerProcess jdk, WorkerProcess pollux) throws IOException {
        if (jdk.selectorClass.startsWith("dev.pollux.") || !jdk.socketCalls.equals(SocketCalls.NOT_STARTED)) {
            throw new IOException("the JDK's own selector is not available: something makes every program run on"
                    + " Pollux, perhaps JAVA_TOOL_OPTIONS or JDK_JAVA_OPTIONS. Unset it for this command");
        }
        if (!pollux.selectorClass.startsWith("dev.pollux.")) {
            throw new IOException("Pollux's selector is not available: there is " + pollux.selectorClass);
        }
    }

    private void round(int number, long turnMillis, boolean counts) throws IOException {
        for (Comparison each : comparisons) {
            WorkerProcess[] three = {each.base, each.pollux, each.again};
            Measurement[] measured = new Measurement[three.length];
            for (int next : ORDERS[number % ORDERS.length]) {
                measured[next] = three[next].measure(each.name, turnMillis);
            }
            if (counts) {
                each.row.add(measured[0], measured[1], measured[2]);
            }
        }
    }

    private void print(PrintWriter out, int rounds, WorkerProcess jdk, WorkerProcess pollux, String batches) {
        List<Row> rows = comparisons.stream().map(Comparison::row).filter(row -> row != overDefault).toList();
        String gains = gains(byDefault, batches.equals(BATCH) ? byBatch : null, overDefault);
        if (isJson) {
            out.println(Json.line(JsonObject.builder().value("jdk", Runtime.version().toString())
                    .value("jdkSelector", jdk.selectorClass)
                    .value("rounds", rounds)
                    .value("cases", rows.stream().map(Row::json).toList())
                    .value("socketCalls", pollux.socketCalls)
                    .value("batches", batches)
                    .value("gains", gains)
                    .value("summary", summary(rows))
                    .done()));
            return;
        }
        out.println("JDK " + Runtime.version() + ", " + jdk.selectorClass + " and Pollux in turn, " + rounds
                + " rounds; bytes are those that one operation allocates");
        out.println();
        out.println(Row.TABLE.head());
        rows.forEach(row -> out.println(Row.TABLE.row(row)));
        out.println();
        rows.forEach(row -> out.println(row.label + ": " + row.sentence() + '.'));
        if (pollux.maxReady < 1000) {
            out.println("Not 1000 keys, but " + pollux.maxReady + ": raise the limit of open files (ulimit -n).");
        }
        if (rows.stream().noneMatch(Row::countsBytes)) {
            out.println("Bytes were not counted: this runtime lacks the module jdk.management.");
        }
        out.println("System calls of sockets on Pollux here: " + pollux.socketCalls + '.');
        out.println("-Ddev.pollux.batch=" + BATCH + " here: " + (batches.equals(BATCH) ? "possible" : batches) + '.');
        out.println();
        out.println(summary(rows));
        out.println(gains);
    }

    /** What a user wants to know of this machine. Without a batch its row is null. */
    static String gains(Row byDefault, Row byBatch, Row overDefault) {
        String gains = "What an event loop of " + Cases.CONNECTIONS + " connections gains on this machine: by default "
                + byDefault.gain();
        return gains + (byBatch == null ? "." : "; with -Ddev.pollux.batch=" + BATCH + " " + byBatch.gain()
                + ", and beside the default " + overDefault.gain() + '.');
    }

    private static String summary(List<Row> rows) {
        long faster = rows.stream().filter(row -> row.difference() < 0).count();
        long slower = rows.stream().filter(row -> row.difference() > 0).count();
        return "Of " + rows.size() + " operations Pollux is faster in " + faster + ", slower in " + slower
                + ", and not different beyond noise in " + (rows.size() - faster - slower) + ". A server spends most of"
                + " its time elsewhere, in its own code and in the kernel, so expect less of the whole: measure it.";
    }
}
