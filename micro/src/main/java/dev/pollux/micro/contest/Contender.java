// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.contest.ContestProgram.Entry;
import dev.pollux.micro.contest.ContestProgram.Extra;
import dev.pollux.micro.harness.ProcessorTime;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * One entry with its peers, in processes of their own. Connections stay open from round to round. Used by one thread.
 */
final class Contender implements AutoCloseable {
    /** Connections of the first warm-up, after which memory is read. */
    private static final int FEW = 32;
    /** A turn in which system calls are counted: what a virtual machine does now and then must not show. */
    private static final double COUNTED_SECONDS = 2;

    final Entry entry;
    private final ContestProgram plan;
    private final int connections;
    private final ServerProcess server;
    private final Peers peers;

    Contender(Entry entry, ContestProgram plan, int connections) throws IOException {
        this.entry = entry;
        this.plan = plan;
        this.connections = connections;
        server = entry.starter().start(connections);
        peers = new Peers(entry.protocol());
    }

    /** Returns once there are all connections, with an answer on each. What few connections took is not counted. */
    Results.Start open() throws IOException {
        return told(() -> {
            server.awaitStart();
            String version = server.version();
            boolean readsMemory = plan.asksFor(Extra.MEMORY);
            if (readsMemory) {
                peers.open(server.port(), Math.min(FEW, connections));
                warmUp(plan.warmUp);
                peers.disconnect();
            }
            long heap = readsMemory ? server.heap() : 0;
            long resident = ProcessorTime.residentBytes(server.pid());
            peers.open(server.port(), connections);
            double heapBytes = readsMemory ? server.heap() - heap : 0;
            double nativeBytes = readsMemory ? ProcessorTime.residentBytes(server.pid()) - resident : 0;
            List<String> selectors = plan.asksFor(Extra.SELECTORS) ? server.selectors() : List.of();
            return new Results.Start(entry.server(), entry.way(), connections, version,
                    server.replacedCalls(), selectors, nativeBytes / connections, heapBytes / connections);
        });
    }

    /** Asks as fast as it can; server and peers run wherever the system puts them. */
    void warmUp(double seconds) throws IOException {
        told(() -> peers.run(seconds, 0, plan.outstanding, 1));
    }

    Results.Sample measure(Mode mode, int round) throws IOException {
        return told(() -> {
            peers.bind(server.pid(), mode);
            server.allocated();
            long softirq = ProcessorTime.ofSoftInterrupts(mode.isFree());
            ProcessorTime before = ProcessorTime.of(server.pid());
            long[] figures = peers.run(plan.seconds, mode.isPaced() ? plan.rate : 0, plan.outstanding, round);
            ProcessorTime after = ProcessorTime.of(server.pid());
            long softirqNanos = ProcessorTime.ofSoftInterrupts(mode.isFree()) - softirq;
            // Bytes since the last question; negative if a thread ended, whose last ones are lost.
            long[] bytes = server.allocated();
            return new Results.Sample(entry.server(), entry.way(), connections, mode.label(), round, figures[0],
                    figures[1] / 1e9, after.since(before) / 1e9, softirqNanos / 1e9, figures[5] / 1e9,
                    figures[2] / 1e3, figures[3] / 1e3, figures[4] / 1e3, after.switchesSince(before),
                    bytes[1] == 0 ? bytes[0] : -1);
        });
    }

    /** The turn has half the rate: strace slows a server down. */
    Results.Calls countCalls(Mode mode) throws IOException {
        return told(() -> {
            peers.bind(server.pid(), mode);
            double[] requests = new double[1];
            boolean byName = plan.asksFor(Extra.CALLS_BY_NAME);
            Map<String, Double> calls = CallCounter.count(server.pid(), byName, () -> requests[0] = peers.run(
                    COUNTED_SECONDS, mode.isPaced() ? plan.rate / 2 : 0, plan.outstanding, 1)[0]);
            calls.replaceAll((name, count) -> count / requests[0]);
            return new Results.Calls(entry.server(), entry.way(), connections, mode.label(),
                    calls.values().stream().mapToDouble(Double::doubleValue).sum(),
                    byName ? calls : Map.of());
        });
    }

    /** What the server or its peers do. */
    private interface Work<T> {
        T run() throws IOException, InterruptedException;
    }

    /** When one of the two fails, the other may know why. */
    private <T> T told(Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (IOException | InterruptedException e) {
            throw new IOException(entry + ", " + connections + " connections; the server's standard error: "
                    + server.standardError(), e);
        }
    }

    @Override
    public void close() {
        peers.close();
        server.close();
    }
}
