// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import com.grack.nanojson.JsonObject;
import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.tools.common.Json;
import dev.pollux.tools.compare.WorkerProcess.Measurement;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
        footer = {"", "A line has the median time of one operation with each, how much more or less Pollux does in the"
                + " same time, and the bytes that one operation allocates. \"More by 12 to 18 %%\" is the interval that"
                + " holds the median of all pairs of turns in 95 of 100 cases. Where it includes no difference none is"
                + " claimed. The last lines say what an event loop gains here, if anything."})
public final class Compare implements Callable<Integer> {
    private static final int MIN_SECONDS = 1;
    private static final int MAX_SECONDS = 3600;
    private static final String POLLUX = "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider";

    /** A turn is short, so that both turns of a pair find the machine in the same state, and there are many pairs. */
    private static final int MIN_TURN_MILLIS = 2;
    private static final int MAX_TURN_MILLIS = 20;

    /** Turns in which a process compiles a case. */
    private static final int WARM_UPS = 10;

    /** Each combination of processes and orders has been once. */
    private static final int MIN_ROUNDS = 8;

    private static final long NANOS_BETWEEN_REPORTS = TimeUnit.SECONDS.toNanos(8);
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
    private long start;
    private long told;

    /** A turn of an event loop: the default beside the JDK, a batch beside the JDK, and a batch beside the default. */
    private final Row byDefault = new Row(LOOP);
    private final Row byBatch = new Row(LOOP + ", batch=" + BATCH);
    private final Row overDefault = new Row(LOOP + ", batch=" + BATCH + " beside the default");

    /**
     * A case, the processes that are compared, and what was found. No two processes are compiled alike: where there are
     * two of a kind, they take turns, and what differs between them widens the interval.
     */
    private record Comparison(String name, List<WorkerProcess> bases, List<WorkerProcess> others, Row row) {
        void warmUp(int turnMillis) throws IOException {
            for (WorkerProcess process : Stream.concat(bases.stream(), others.stream()).toList()) {
                process.measure(name, (long) WARM_UPS * turnMillis);
            }
        }

        /**
         * Measures one pair. The first one finds the processors still awake from the case before: its round trips are
         * shorter. So each process of the pair is the first one as often.
         */
        void measure(int round, int turnMillis) throws IOException {
            WorkerProcess base = bases.get(round % bases.size());
            WorkerProcess other = others.get(round / 2 % others.size());
            if (round / 4 % 2 == 0) {
                Measurement first = base.measure(name, turnMillis);
                row.add(first, other.measure(name, turnMillis));
            } else {
                Measurement first = other.measure(name, turnMillis);
                row.add(base.measure(name, turnMillis), first);
            }
        }
    }

    @Override
    public Integer call() throws IOException {
        if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) {
            throw new ParameterException(spec.commandLine(), "wrong --seconds: " + seconds);
        }
        int turnMillis = Math.min(MAX_TURN_MILLIS, MIN_TURN_MILLIS * seconds);
        start = System.nanoTime();
        tell("Comparing selections, socket calls and an event loop on JDK " + Runtime.version()
                + " and on Pollux, in turns of " + turnMillis + " ms, for " + seconds + " seconds.");
        try (WorkerProcess jdk = new WorkerProcess(); WorkerProcess jdkAgain = new WorkerProcess();
                WorkerProcess pollux = new WorkerProcess(POLLUX);
                WorkerProcess polluxAgain = new WorkerProcess(POLLUX);
                WorkerProcess spinning = new WorkerProcess(POLLUX, "-Ddev.pollux.busypoll=" + SPIN_MICROS);
                WorkerProcess batching = new WorkerProcess(POLLUX, "-Ddev.pollux.batch=" + BATCH)) {
            requireBoth(jdk, pollux);
            plan(List.of(jdk, jdkAgain), List.of(pollux, polluxAgain), spinning, batching);
            for (Comparison each : comparisons) {
                each.warmUp(turnMillis);
                tellProgress("warming up");
            }
            int rounds = measure(turnMillis);
            print(spec.commandLine().getOut(), rounds, jdk, pollux, batching.batches);
        }
        return ExitCode.OK;
    }

    private void plan(List<WorkerProcess> jdk, List<WorkerProcess> pollux, WorkerProcess spinning,
            WorkerProcess batching) {
        add("select1", jdk, pollux, "selection, 1 ready key");
        add("select100", jdk, pollux, "selection, 100 ready keys");
        add("selectMax", jdk, pollux, "selection, " + pollux.get(0).maxReady + " ready keys");
        add("wakeup", jdk, pollux, "wakeup and selection");
        add("interest", jdk, pollux, "interest off, on, 2 selections");
        add("transfer", jdk, pollux, "write and read of a socket, 1 KiB");
        add("roundTrip", jdk, pollux, "round trip between threads");
        add("roundTrip", jdk, List.of(spinning), "round trip, spin of " + SPIN_MICROS + " us");
        comparisons.add(new Comparison(LOOP_CASE, jdk, pollux, byDefault));
        if (batching.batches.equals(BATCH)) {
            comparisons.add(new Comparison(LOOP_CASE, jdk, List.of(batching), byBatch));
            comparisons.add(new Comparison(LOOP_CASE, pollux, List.of(batching), overDefault));
        }
    }

    private void add(String name, List<WorkerProcess> jdk, List<WorkerProcess> pollux, String label) {
        comparisons.add(new Comparison(name, jdk, pollux, new Row(label)));
    }

    /** {@return the number of rounds} */
    private int measure(int turnMillis) throws IOException {
        long end = start + TimeUnit.SECONDS.toNanos(seconds);
        int rounds = 0;
        while (rounds < MIN_ROUNDS || System.nanoTime() < end) {
            for (Comparison each : comparisons) {
                each.measure(rounds, turnMillis);
            }
            rounds++;
            tellProgress(rounds + " rounds, an event loop so far: " + byDefault.work().verdict());
        }
        return rounds;
    }

    private void tellProgress(String progress) {
        long now = System.nanoTime();
        if (now - told >= NANOS_BETWEEN_REPORTS) {
            tell(TimeUnit.NANOSECONDS.toSeconds(now - start) + " of " + seconds + " seconds: " + progress);
        }
    }

    /** On a terminal and in a pipe alike; programs want the one object. */
    private void tell(String line) {
        told = System.nanoTime();
        if (!isJson) {
            spec.commandLine().getOut().println(line);
        }
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
        out.println();
        out.println("One operation: nanoseconds, and on the right allocated bytes; medians of " + rounds + " rounds");
        out.println();
        out.println(Row.TABLE.head());
        rows.forEach(row -> out.println(Row.TABLE.row(row)));
        out.println();
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
        String gains = "In the same time an event loop of " + Cases.CONNECTIONS + " connections answers on this"
                + " machine: by default " + byDefault.work().verdict();
        return gains + (byBatch == null ? "." : "; with -Ddev.pollux.batch=" + BATCH + ' ' + byBatch.work().verdict()
                + ", and beside the default " + overDefault.work().verdict() + '.');
    }

    private static String summary(List<Row> rows) {
        List<Integer> differences = rows.stream().map(row -> row.work().difference()).toList();
        return "Of " + rows.size() + " operations Pollux is faster in " + Collections.frequency(differences, 1)
                + ", slower in " + Collections.frequency(differences, -1) + ", and not different beyond noise in "
                + Collections.frequency(differences, 0) + ". A server spends most of its time elsewhere, in its own"
                + " code and in the kernel, so expect less of the whole: measure it.";
    }
}
