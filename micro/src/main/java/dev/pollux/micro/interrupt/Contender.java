// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Pace;
import dev.pollux.micro.harness.Peers;
import dev.pollux.micro.harness.ProcessStatus;
import dev.pollux.micro.harness.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One way with its server and its peers, in processes of their own. Connections stay open from round to round. Used by
 * one thread.
 */
final class Contender implements AutoCloseable {
    /** Connections of the first warm-up, after which memory is read. */
    private static final int FEW = 32;

    final Way way;
    private final Plan plan;
    private final int connections;
    private final Child server;
    private final Peers peers;
    private final String port;

    Contender(Way way, Plan plan, int connections) throws IOException {
        this.way = way;
        this.plan = plan;
        this.connections = connections;
        server = way.mechanismOfC() == null ? java() : new Child(c());
        peers = new Peers(plan.protocol().label(), 1);
        port = ask("port");
    }

    private Child java() throws IOException {
        List<String> options = new ArrayList<>(JavaProcess.quiet());
        // The heap is resident from the start, so that what grows is not the heap; and the collector has no threads.
        options.addAll(List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-Xss256k"));
        options.addAll(way.options());
        return new JavaProcess(options, ServerMain.class, way.name(), plan.protocol().name());
    }

    private List<String> c() {
        List<String> command = new ArrayList<>(List.of(Peers.program("arena").toString(), "--serve",
                "--server=" + way.mechanismOfC(), "--connections=" + (connections + 1)));
        if (plan.protocol() == Protocol.HTTP) {
            command.add("--http");
        }
        return command;
    }

    /** Warms up, with few connections and with all, which it leaves open. */
    Footprint prepare() throws IOException {
        open(Math.min(FEW, connections));
        warmUp(1);
        peers.disconnect();
        boolean isJava = way.mechanismOfC() == null;
        long heap = isJava ? heap() : 0;
        long resident = ProcessStatus.residentBytes(server.pid());
        open(connections);
        heap = isJava ? heap() - heap : 0;
        resident = ProcessStatus.residentBytes(server.pid()) - resident;
        warmUp(2);
        String engine = isJava ? ask("engine") : way.mechanismOfC();
        return new Footprint(way.label(), connections, engine, (double) resident / connections,
                (double) heap / connections);
    }

    private void warmUp(int seed) throws IOException {
        told(() -> peers.run(Mode.FULL, new Pace(plan.warmUp(), plan.outstanding(), 0), seed));
    }

    private void open(int count) throws IOException {
        told(() -> {
            peers.open(port, count);
            return null;
        });
    }

    private long heap() throws IOException {
        return Long.parseLong(ask("heap"));
    }

    Sample measure(Mode mode, int round) throws IOException {
        peers.bind(server.pid(), mode);
        allocated();
        Sample sample = told(() -> peers.measure(server.pid(), way.label(), connections, mode, plan.pace(), round));
        return sample.withBytes(allocated());
    }

    /** Bytes since the last question; negative if a thread ended, whose last ones nobody knows. */
    private double allocated() throws IOException {
        if (way.mechanismOfC() != null) {
            return -1;
        }
        String[] words = ask("bytes").split(" ");
        return words[1].equals("0") ? Double.parseDouble(words[0]) : -1;
    }

    Calls countCalls(Mode mode) throws IOException, InterruptedException {
        peers.bind(server.pid(), mode);
        double[] requests = new double[1];
        double calls = new CallCounter(server.pid())
                .count(() -> requests[0] = told(() -> peers.run(mode, plan.pace(), 0))[0]);
        return new Calls(way.label(), connections, mode.label(), calls / requests[0]);
    }

    private String ask(String line) throws IOException {
        return told(() -> server.ask(line));
    }

    /** What the server or its peers do. */
    private interface Work<T> {
        T run() throws IOException;
    }

    /** When one of the two fails, the other may know why. */
    private <T> T told(Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (IOException e) {
            throw new IOException(way.label() + ", " + connections + " connections; the server's standard error: "
                    + server.standardError(), e);
        }
    }

    @Override
    public void close() {
        peers.close();
        server.close();
    }
}
