// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.contest.ContestProgram;
import dev.pollux.micro.contest.Entry;
import dev.pollux.micro.contest.Report;
import dev.pollux.micro.contest.Sample;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Series;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The entry point of servers.sh, interrupt.sh and cache.sh: the command line, checked. */
@Command(name = "micro/servers.sh, interrupt.sh, cache.sh", description = {"Compares ways of serving: requests per"
        + " second of the server's processor time, latencies, system calls, context switches, garbage, memory per"
        + " connection.",
    "\"micro/servers.sh SimpleServer\", \"PollingServer\" and \"Client\" run one program alone;"
        + " each has a --help too."})
public final class Main extends ContestProgram {
    private static final Map<String, String> COMMON = Map.of("--protocol", "http", "--connections", "64,1000,8000",
            "--modes", "full,free,paced", "--sets", "1", "--rounds", "5", "--seconds", "1", "--warm-up", "8",
            "--count-calls", "true");
    private static final Map<String, String> SERVERS = Map.of("--protocol", "echo", "--connections", "1000,4000,8000",
            "--modes", "free", "--sets", "2", "--rounds", "10", "--seconds", "1", "--warm-up", "3",
            "--count-calls", "false", "--ways", "threads,virtual,jdk,pollux,poller,gang,oneshot");

    @Option(names = "--protocol", paramLabel = "WHAT",
            description = "what is asked for: echo (64 bytes), http (a page of 1 KiB), http8k, http64k (larger pages),"
                    + " mix (the page cache: 70 %% static pages; what cache.sh measures)")
    private Protocol protocol;

    @Option(names = "--ways", paramLabel = "WAY", split = ",",
            description = "ways of serving (default: all that the protocol has, but for gang and oneshot): threads,"
                    + " virtual, jdk, pollux, poller, gang, oneshot, netty_nio, netty_pollux, netty_epoll, netty_uring,"
                    + " uring, epoll, uring_copied, epoll_copied, undertow, helidon, handover, c_loop, c_uring,"
                    + " c_epoll")
    private List<Way> ways;

    @Option(names = "--loops", paramLabel = "N", defaultValue = "1",
            description = "event-loop threads of netty, uring, epoll and undertow; without use in mode full, which"
                    + " has one processor for the server")
    private int loops;

    @Option(names = "--tls", description = "http, http8k or http64k over TLS 1.3: netty, uring and epoll do that")
    private boolean tls;

    @Option(names = "--workers", paramLabel = "N", split = ",", defaultValue = "2,4",
            description = "threads of gang and oneshot, separated by commas")
    private List<Integer> workers;

    @Option(names = "--stack", paramLabel = "KIB", defaultValue = "256",
            description = "stack of a platform thread (-Xss), in KiB")
    private int stack;

    /** Arguments: {@code servers} or {@code interrupt}, whose defaults hold, then what {@code --help} explains. */
    public static void main(String[] args) {
        run(new Main(), args[0].equals("servers") ? SERVERS : COMMON, Arrays.copyOfRange(args, 1, args.length));
    }

    @Override
    public Integer call() throws IOException {
        checkPositive("--workers", workers);
        checkPositive("--loops", List.of(loops));
        refuse("--loops", loops > 1 && protocol == Protocol.MIX ? "the page cache has one loop" : null);
        if (tls && protocol.body == 0) {
            throw wrong("--tls: only http, http8k and http64k");
        }
        List<Entry> entries = compared();
        check(entries.stream().anyMatch(entry -> entry.way().equals(Way.THREADS.label())));
        Report report = compare(entries, protocol == Protocol.MIX ? List.of("netty-nio", "netty-pollux", "netty-epoll")
                : List.of("jdk", "netty", "threads"), Set.of(Extra.MEMORY));
        for (int connections : connections) {
            workers.forEach(count -> print(report, connections, "oneshot " + count, "gang " + count));
        }
        return 0;
    }

    /** Prints the ratio of two ways, if both were measured. */
    private void print(Report report, int connections, String way, String base) {
        String mode = modes.get(0).label();
        Series<Sample> above = report.samples(server(), way, connections, mode);
        Series<Sample> below = report.samples(server(), base, connections, mode);
        if (protocol == Protocol.ECHO && !above.samples().isEmpty() && !below.samples().isEmpty()) {
            System.out.printf("%d connections, %s / %s: requests per CPU second %s, requests per second %s%n",
                    connections, way, base, above.ratio(below, Sample::perCpuSecond, 2),
                    above.ratio(below, Sample::perSecond, 2));
        }
    }

    private List<Entry> compared() {
        List<Entry> compared = new ArrayList<>();
        for (Way way : ways == null ? Arrays.asList(Way.values()) : ways) {
            if (!way.serves(protocol) || tls && !way.servesTls()) {
                if (ways != null) {
                    throw wrong("--ways " + way.label() + ": does not serve " + server());
                }
            } else if (way.hasWorkers()) {
                for (int count : ways == null ? List.<Integer>of() : workers) {
                    compared.add(entry(way, way.label() + " " + count));
                }
            } else if (!way.needsVirtualThreads() || hasVirtualThreads(way.label())) {
                compared.add(entry(way, way.label()));
            }
        }
        return compared;
    }

    /** What is asked for, as the tables, the files of figures and load.c name it: "https8k" is http8k with TLS. */
    private String server() {
        return tls ? protocol.label().replace("http", "https") : protocol.label();
    }

    private Entry entry(Way way, String label) {
        return new Entry(server(), label, server(), connections -> {
            if (way.mechanismOfC() != null) {
                return c(way, connections);
            }
            List<String> options = new ArrayList<>(ServerProcess.SAME_HEAP);
            options.add("-Xss" + stack + "k");
            options.addAll(List.of("-Dpollux.micro.loops=" + loops, "-Dpollux.micro.tls=" + tls));
            options.addAll(way.options(protocol));
            return new ServerProcess(way.application(protocol, label), options, log(server(), label));
        });
    }

    private ServerProcess c(Way way, int connections) throws IOException {
        List<String> command = new ArrayList<>(List.of(Child.program("arena"), "--server=" + way.mechanismOfC(),
                "--connections=" + (connections + 1)));
        if (protocol == Protocol.HTTP) {
            command.add("--http");
        }
        return new ServerProcess(command, way.mechanismOfC());
    }
}
