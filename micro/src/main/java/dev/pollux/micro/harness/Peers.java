// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The peers of one server ({@code load.c}), in a process of their own, and what the server shows meanwhile. Used by one
 * thread.
 */
public final class Peers implements AutoCloseable {
    /** Where the script has put what is compiled from C. */
    private static final String PROGRAMS = "POLLUX_PROGRAMS";

    private final Child load;

    /** Starts the process, which asks for what that word says, so many requests at once on a connection. */
    public Peers(String protocol, int pipeline) throws IOException {
        load = new Child(List.of(program("load").toString(), protocol, Integer.toString(pipeline)));
    }

    /** The file of a program that is compiled from C. */
    public static Path program(String name) {
        return Path.of(System.getenv(PROGRAMS), name);
    }

    /** Opens connections to a port of the loopback address, and has an answer on each. */
    public void open(String port, int connections) throws IOException {
        load.ask("open " + port + " " + connections);
    }

    /** Closes all connections. */
    public void disconnect() throws IOException {
        load.ask("close");
    }

    /**
     * Asks for a while.
     *
     * @return requests, nanoseconds, p50, p99, p99.9 (nanoseconds), processor time of the peers
     */
    public long[] run(Mode mode, Pace pace, int seed) throws IOException {
        return load.askNumbers(String.format(Locale.ROOT, "run %.3f %d %d %d", pace.seconds(),
                mode == Mode.PACED ? pace.rate() : 0, pace.outstanding(), seed));
    }

    /** Puts a server and its peers on the processors of a mode. */
    public void bind(long server, Mode mode) throws IOException {
        bind(mode.serverProcessors(), server);
        bind(mode.loadProcessors(), load.pid());
    }

    /** All its threads. */
    private static void bind(String processors, long process) throws IOException {
        Command.output(List.of("taskset", "-acp", processors, Long.toString(process)));
    }

    /** Asks for a while, and tells what the server showed; the bytes that it allocated are not known here. */
    public Sample measure(long server, String way, int connections, Mode mode, Pace pace, int round)
            throws IOException {
        List<ProcessorTime> softirq = SoftInterrupts.now(mode == Mode.FREE);
        ProcessorTime before = ProcessorTime.of(server);
        long[] figures = run(mode, pace, round);
        ProcessorTime after = ProcessorTime.of(server);
        long softirqNanos = SoftInterrupts.between(softirq, SoftInterrupts.now(mode == Mode.FREE));
        return new Sample(way, connections, mode.label(), round, figures[0], figures[1] / 1e9,
                after.since(before) / 1e9, softirqNanos / 1e9, figures[5] / 1e9, figures[2] / 1e3, figures[3] / 1e3,
                figures[4] / 1e3, after.switchesSince(before), -1);
    }

    @Override
    public void close() {
        load.close();
    }
}
