// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The peers of one server ({@code load.c}), in a process of their own. Used by one thread. */
public final class Peers extends Child {
    /** Starts the process. Argument: what its peers speak. */
    public Peers(String protocol) throws IOException {
        super(List.of(program("load"), protocol));
    }

    /** Opens connections to a port of the loopback address, and has an answer on each. */
    public void open(int port, int connections) throws IOException {
        ask("open " + port + " " + connections);
    }

    /** Closes all connections. */
    void disconnect() throws IOException {
        ask("close");
    }

    /**
     * Asks for a while.
     *
     * @param rate requests per second; 0 for as many as there can be
     * @return requests, nanoseconds, p50, p99, p99.9 (nanoseconds), processor time of the peers
     */
    public long[] run(double seconds, int rate, int outstanding, int seed) throws IOException {
        return askNumbers(String.format(Locale.ROOT, "run %.3f %d %d %d", seconds, rate, outstanding, seed));
    }

    /** Puts a server and its peers on the processors of a mode. */
    void bind(long server, Mode mode) throws IOException {
        bind(mode.serverProcessors(), server);
        bind(mode.loadProcessors(), pid());
    }

    /** All its threads. */
    private static void bind(String processors, long process) throws IOException {
        output(List.of("taskset", "-acp", processors, Long.toString(process)));
    }
}
