// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Command;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.ProcessStatus;
import dev.pollux.micro.harness.ProcessorTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One way with its server and its peers, in processes of their own. Connections stay open from round to round. Used by
 * one thread.
 */
final class Contender implements AutoCloseable {
    /** Where the script has put what is compiled from C. */
    private static final Path PROGRAMS = Path.of(System.getenv("POLLUX_PROGRAMS"));

    /** Connections of the first warm-up, after which memory is read. */
    private static final int FEW = 32;

    final Way way;
    private final Plan plan;
    private final int connections;
    private final Child server;
    private final Child load;
    private final String port;

    Contender(Way way, Plan plan, int connections) throws IOException {
        this.way = way;
        this.plan = plan;
        this.connections = connections;
        server = way.mechanismOfC() == null ? java() : new Child(c());
        load = new Child(List.of(PROGRAMS.resolve("load").toString(), plan.protocol().label()));
        port = ask(server, "port");
    }

    private Child java() throws IOException {
        List<String> options = new ArrayList<>(JavaProcess.quiet());
        // The heap is resident from the start, so that what grows is not the heap; and the collector has no threads.
        options.addAll(List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-Xss256k"));
        options.addAll(way.options());
        return new JavaProcess(options, ServerMain.class, way.name(), plan.protocol().name());
    }

    private List<String> c() {
        List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve("arena").toString(), "--serve",
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
        ask(load, "close");
        boolean isJava = way.mechanismOfC() == null;
        long heap = isJava ? heap() : 0;
        long resident = ProcessStatus.residentBytes(server.pid());
        open(connections);
        heap = isJava ? heap() - heap : 0;
        resident = ProcessStatus.residentBytes(server.pid()) - resident;
        warmUp(2);
        String engine = isJava ? ask(server, "engine") : way.mechanismOfC();
        return new Footprint(way.label(), connections, engine, (double) resident / connections,
                (double) heap / connections);
    }

    private void warmUp(int seed) throws IOException {
        ask(load, "run " + plan.warmUp() + " 0 " + plan.outstanding() + " " + seed);
    }

    private void open(int count) throws IOException {
        ask(load, "open " + port + " " + count);
    }

    private long heap() throws IOException {
        return Long.parseLong(ask(server, "heap"));
    }

    private void bind(Mode mode) throws IOException {
        bind(mode.serverProcessors(), server);
        bind(mode.loadProcessors(), load);
    }

    /** All its threads. */
    private static void bind(String processors, Child process) throws IOException {
        Command.output(List.of("taskset", "-acp", processors, Long.toString(process.pid())));
    }

    private long[] run(Mode mode, int round) throws IOException {
        String line = String.format(Locale.ROOT, "run %.3f %d %d %d", plan.seconds(),
                mode == Mode.PACED ? plan.rate() : 0, plan.outstanding(), round);
        return Stream.of(ask(load, line).split(" ")).mapToLong(Long::parseLong).toArray();
    }

    Sample measure(Mode mode, int round) throws IOException {
        bind(mode);
        allocated();
        List<ProcessorTime> softirq = SoftInterrupts.now(mode == Mode.FREE);
        ProcessorTime before = ProcessorTime.of(server.pid());
        long[] figures = run(mode, round);
        ProcessorTime after = ProcessorTime.of(server.pid());
        long softirqNanos = SoftInterrupts.between(softirq, SoftInterrupts.now(mode == Mode.FREE));
        return new Sample(way.label(), connections, mode.label(), round, figures[0], figures[1] / 1e9,
                after.since(before) / 1e9, softirqNanos / 1e9, figures[5] / 1e9, figures[2] / 1e3, figures[3] / 1e3,
                figures[4] / 1e3, after.switchesSince(before), allocated());
    }

    /** Bytes since the last question; negative if a thread ended, whose last ones nobody knows. */
    private double allocated() throws IOException {
        if (way.mechanismOfC() != null) {
            return -1;
        }
        String[] words = ask(server, "bytes").split(" ");
        return words[1].equals("0") ? Double.parseDouble(words[0]) : -1;
    }

    Calls countCalls(Mode mode) throws IOException, InterruptedException {
        bind(mode);
        double[] requests = new double[1];
        double calls = new CallCounter(server.pid()).count(() -> requests[0] = run(mode, 0)[0]);
        return new Calls(way.label(), connections, mode.label(), calls / requests[0]);
    }

    /** When one of the two fails, the other may know why. */
    private String ask(Child child, String line) throws IOException {
        try {
            return child.ask(line);
        } catch (IOException e) {
            throw new IOException(way.label() + ", " + connections + " connections; the server's standard error: "
                    + server.standardError(), e);
        }
    }

    @Override
    public void close() {
        load.close();
        server.close();
    }
}
