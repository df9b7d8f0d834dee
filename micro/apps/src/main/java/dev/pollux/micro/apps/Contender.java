// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One server with one provider, in a virtual machine of its own. Pollux comes to it as the one property and one more
 * entry of the class path; nothing else differs. Not thread-safe.
 */
final class Contender implements AutoCloseable {
    private static final int START_SECONDS = 30;

    final Side side;
    private final Plan plan;
    private final Child client;
    private final int port = freePort();
    private final Child server;

    Contender(Subject subject, Side side, Plan plan, Child client, String classPath) throws IOException {
        this.side = side;
        this.plan = plan;
        this.client = client;
        boolean pollux = side == Side.POLLUX;
        server = new Child(pollux ? classPath + ":" + plan.pollux() : classPath,
                pollux ? List.of("-Djava.nio.channels.spi.SelectorProvider=" + plan.provider()) : List.of(),
                List.of("dev.pollux.micro.apps.server.Main", subject.word(), Integer.toString(port)),
                plan.logs().resolve(subject.word() + "-" + side.word() + ".log"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    /** Returns once the server accepts connections. */
    void awaitServer() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException notYet) {
                if (!server.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("the server does not start; it said:\n" + server.said(), notYet);
                }
                Thread.sleep(50);
            }
        }
    }

    String version() throws IOException {
        return server.ask("version");
    }

    /** Sends requests whose responses are checked, but not timed. */
    void warmUp() throws IOException {
        open();
        client.ask("run " + plan.warmUp());
        client.ask("close");
    }

    private void open() throws IOException {
        client.ask("open " + port + " " + plan.connections());
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
        server.ask("bytes");
        ProcessorTime before = ProcessorTime.of(server.pid());
        long[] times = client.askNumbers("run " + plan.requests());
        long nanos = ProcessorTime.of(server.pid()).since(before);
        long[] bytes = server.askNumbers("bytes");
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
     * System calls per request, by name. It slows the server down: nothing else is measured meanwhile, and the paced load
     * is at half the rate.
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
    List<String> selectors() throws IOException, InterruptedException {
        return Selectors.of(server.pid());
    }

    @Override
    public void close() {
        server.close();
    }
}
