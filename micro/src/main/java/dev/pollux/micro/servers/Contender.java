// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.ProcessStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One way with its server and its client, each in a virtual machine of its own. Connections stay open from round to
 * round. Used by one thread.
 */
final class Contender implements AutoCloseable {
    /** Connections of the first warm-up, after which memory is read. */
    private static final int FEW = 100;

    final Way way;
    private final Plan plan;
    private final int connections;
    private final JavaProcess server;
    private final JavaProcess client;

    Contender(Way way, Plan plan, int connections) throws IOException {
        this.way = way;
        this.plan = plan;
        this.connections = connections;
        String request = Integer.toString(plan.sizes().request());
        String reply = Integer.toString(plan.sizes().reply());
        List<String> options = new ArrayList<>(JavaProcess.quiet());
        // The heap is resident from the start, so that what grows is not the heap; and the collector has no threads.
        options.addAll(List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC",
                "-Xss" + plan.stackKib() + "k"));
        options.addAll(way.kind().options());
        server = new JavaProcess(options, ServerMain.class, way.kind().name(), Integer.toString(way.workers()), request,
                reply);
        client = new JavaProcess(List.of("-Xmx256m", "-XX:+UseSerialGC"), Client.class, request, reply);
    }

    /** Warms up, with few connections and with all, which it leaves open. */
    Footprint prepare() throws IOException {
        int few = Math.min(FEW, connections);
        open(few);
        load(plan.warmUp(), Math.min(few / 2, plan.outstanding()), plan.seed());
        ask(client, "close");
        long heap = heap();
        long resident = ProcessStatus.residentBytes(server.pid());
        open(connections);
        heap = heap() - heap;
        resident = ProcessStatus.residentBytes(server.pid()) - resident;
        load(plan.warmUp(), plan.outstanding(), plan.seed());
        return new Footprint(way.label(), connections, ask(server, "engine"), (double) resident / connections,
                (double) heap / connections);
    }

    Sample measure(int round) throws IOException {
        long cpu = ProcessStatus.cpuNanos(server.pid());
        long[] times = load(plan.requests(), plan.outstanding(), plan.seed() + round);
        cpu = ProcessStatus.cpuNanos(server.pid()) - cpu;
        return new Sample(way.label(), connections, round, plan.requests(), times[0] / 1e9, cpu / 1e9,
                times[1] / 1e3, times[2] / 1e3);
    }

    private void open(int count) throws IOException {
        ask(client, "open " + ask(server, "port") + " " + count);
    }

    private long[] load(int requests, int outstanding, long seed) throws IOException {
        String times = ask(client, "run " + requests + " " + outstanding + " " + seed);
        return Stream.of(times.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    private long heap() throws IOException {
        return Long.parseLong(ask(server, "heap"));
    }

    /** When one of the two fails, the other may know why. */
    private String ask(JavaProcess child, String line) throws IOException {
        try {
            return child.ask(line);
        } catch (IOException e) {
            throw new IOException(way.label() + ", " + connections + " connections; the server's standard error: "
                    + server.standardError(), e);
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
