// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.LiveSelectors;
import dev.pollux.micro.harness.ProcessorTime;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One server on the selectors of one side, which the client loads, and what is measured of it. Not thread-safe. */
final class LoadedServer implements AutoCloseable {
    final Side side;
    private final Plan plan;
    private final JavaProcess client;
    private final ServerProcess server;

    LoadedServer(Subject subject, Side side, Plan plan, JavaProcess client) throws IOException {
        this.side = side;
        this.plan = plan;
        this.client = client;
        server = new ServerProcess(subject.word(), ServerProcess.options(side, plan.provider(), plan.pollux()),
                plan.logs().resolve(subject.word() + "-" + side.word() + ".log"));
    }

    /** Returns once the server accepts connections. */
    void awaitStart() throws IOException, InterruptedException {
        server.awaitStart();
    }

    String version() throws IOException {
        return server.version();
    }

    /** Sends requests whose responses are checked, but not timed. */
    void warmUp() throws IOException {
        open();
        client.ask("run " + plan.warmUp());
        client.ask("close");
    }

    private void open() throws IOException {
        client.ask("open " + server.port() + " " + plan.connections());
    }

    /** All figures but the system calls. What the questions themselves cost is outside of the measured time. */
    Map<Figure, Double> measure() throws IOException {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        open();
        full(figures);
        paced(figures);
        client.ask("close");
        return figures;
    }

    private void full(Map<Figure, Double> figures) throws IOException {
        double requests = plan.requests();
        server.allocated();
        ProcessorTime before = ProcessorTime.of(server.pid());
        long[] times = client.askNumbers("run " + plan.requests());
        long nanos = ProcessorTime.of(server.pid()).since(before);
        long[] bytes = server.allocated();
        figures.put(Figure.RATE, requests * 1e9 / times[0]);
        figures.put(Figure.CPU, nanos / requests / 1e3);
        figures.put(Figure.P50, times[1] / 1e3);
        figures.put(Figure.P99, times[2] / 1e3);
        // What an ended thread allocated is not known.
        figures.put(Figure.BYTES, bytes[1] == 0 ? bytes[0] / requests : Double.NaN);
    }

    private void paced(Map<Figure, Double> figures) throws IOException {
        ProcessorTime before = ProcessorTime.of(server.pid());
        long[] times = client.askNumbers("pace " + plan.paced() + " " + plan.rate());
        long nanos = ProcessorTime.of(server.pid()).since(before);
        figures.put(Figure.PACED_CPU, nanos / 1e3 / plan.paced());
        figures.put(Figure.PACED_P50, times[1] / 1e3);
        figures.put(Figure.PACED_P99, times[2] / 1e3);
    }

    /**
     * System calls per request, by name. Counting slows the server down: nothing else is measured meanwhile, and the
     * paced load is at half the rate.
     */
    Map<String, Double> countCalls(Figure figure) throws IOException, InterruptedException {
        open();
        SystemCalls calls = new SystemCalls(server.pid());
        client.ask(figure == Figure.CALLS ? "run " + plan.traced() : "pace " + plan.traced() + " " + plan.rate() / 2);
        Map<String, Double> counts = calls.stop();
        client.ask("close");
        counts.replaceAll((name, count) -> count / plan.traced());
        return counts;
    }

    /** The classes of the server's live selectors. */
    List<String> selectors() throws IOException {
        return LiveSelectors.of(server.pid());
    }

    @Override
    public void close() {
        server.close();
    }
}
