// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.contest.ContestProgram;
import dev.pollux.micro.contest.Report;
import dev.pollux.micro.contest.Report.Pair;
import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Servers at many connections, in all ways of serving. Used by one thread. */
@Command(description = "Compares ways of serving: requests per second of the server's processor time, latencies,"
        + " system calls, context switches, garbage, memory per connection.")
public final class Servers extends ContestProgram {
    private static final Map<String, String> INTERRUPT = Map.of("--protocol", "http", "--connections", "64,1000,8000",
            "--modes", "full,free,paced", "--sets", "1", "--rounds", "5", "--seconds", "1", "--warm-up", "8",
            "--count-calls", "true");
    private static final Map<String, String> SERVERS = Map.of("--protocol", "echo", "--connections", "1000,4000,8000",
            "--modes", "free", "--sets", "2", "--rounds", "10", "--seconds", "1", "--warm-up", "3",
            "--count-calls", "false", "--ways", "threads,virtual,jdk,pollux,poller,gang,oneshot");

    private final String name;

    @Option(names = "--protocol", paramLabel = "WHAT",
            description = "what is asked for: echo (64 bytes), http (a page of 1 KiB), http8k, http64k (larger pages),"
                    + " mix (the page cache: 70 %% static pages; what the paper measures)")
    private Protocol protocol;

    @Option(names = "--ways", paramLabel = "WAY", split = ",",
            description = "ways of serving (default: all that the protocol has, but for those with workers):"
                    + " ${COMPLETION-CANDIDATES}")
    private List<Way> ways;

    @Option(names = "--loops", paramLabel = "N", defaultValue = "1",
            description = "event-loop threads of netty, uring and epoll; without use in mode full, which"
                    + " has one processor for the server")
    private int loops;

    @Option(names = "--tls", description = "http, http8k or http64k over TLS 1.3: netty, uring and epoll do that")
    private boolean tls;

    @Option(names = "--workers", paramLabel = "N", split = ",", defaultValue = "2,4",
            description = "threads of gang, oneshot and batches, separated by commas")
    private List<Integer> workers;

    @Option(names = "--stack", paramLabel = "KIB", defaultValue = "256",
            description = "stack of a platform thread (-Xss), in KiB")
    private int stack;

    /** Argument: servers, interrupt or cache; they differ in their defaults. */
    public Servers(String name) {
        this.name = name;
    }

    @Override
    public Map<String, String> defaults(List<String> words) {
        Map<String, String> defaults = new HashMap<>(name.equals("servers") ? SERVERS : INTERRUPT);
        if (name.equals("cache")) {
            defaults.put("--protocol", Protocol.MIX.label());
        }
        return defaults;
    }

    @Override
    public Integer call() throws IOException {
        checkPositive("--workers", workers);
        checkPositive("--loops", List.of(loops));
        if (loops > 1 && protocol == Protocol.MIX || tls && protocol.body == 0) {
            throw wrong("--loops is not for mix, --tls only for http, http8k and http64k");
        }
        List<Entry> entries = compared();
        check();
        Report report = compare(entries, protocol == Protocol.MIX ? List.of("netty-nio", "netty-pollux", "netty-epoll")
                : List.of("jdk", "netty", "threads"), Set.of(Extra.MEMORY));
        if (protocol == Protocol.ECHO) {
            report.printRatios(workers.stream().flatMap(count -> Stream.of("gang ", "batches ")
                    .map(base -> new Pair("oneshot " + count, base + count))).toList());
        }
        return 0;
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
                return new ServerProcess(List.of(Child.program("arena"), way.mechanismOfC(), "" + (connections + 1),
                        protocol.label()), way.mechanismOfC());
            }
            List<String> options = new ArrayList<>(ServerProcess.SAME_HEAP);
            options.add("-Xss" + stack + "k");
            options.addAll(List.of("-Dpollux.micro.loops=" + loops, "-Dpollux.micro.tls=" + tls));
            options.addAll(way.options(protocol));
            return new ServerProcess(way.application(protocol, label), options, log(server(), label));
        });
    }
}
