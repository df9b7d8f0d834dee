// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.contest.ContestProgram;
import dev.pollux.micro.contest.Report;
import dev.pollux.micro.contest.Report.Pair;
import dev.pollux.micro.contest.Results.Start;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Unmodified servers on the JDK and on Pollux. Ends with 1 if a server did not use the selectors or the socket calls
 * that it was meant to use. Used by one thread.
 */
@Command(description = "Measures unmodified servers on the JDK and on Pollux: requests per second of the server's"
        + " processor time, latencies, system calls, garbage.")
public final class Apps extends ContestProgram {
    private static final Map<String, String> APPS = Map.ofEntries(Map.entry("--connections", "64"),
            Map.entry("--servers", "httpserver,netty_example,jetty,tomcat,undertow"),
            Map.entry("--sides", "jdk,pollux"),
            Map.entry("--modes", "free,paced_free"), Map.entry("--sets", "3"), Map.entry("--rounds", "20"),
            Map.entry("--seconds", "0.3"), Map.entry("--warm-up", "3"), Map.entry("--rate", "2000"),
            Map.entry("--count-calls", "true"));
    private static final Map<String, String> CALLS = Map.ofEntries(Map.entry("--connections", "1,64,1000"),
            Map.entry("--servers", "nio,netty,undertow,tomcat,jetty,jetty_non_blocking,vertx,httpserver,"
                    + "threads,virtual,helidon"),
            Map.entry("--sides", "jdk,off,auto"), Map.entry("--modes", "full,paced"), Map.entry("--sets", "3"),
            Map.entry("--rounds", "3"), Map.entry("--seconds", "1"), Map.entry("--warm-up", "6"),
            Map.entry("--body", "1024"));

    /** What the kernel does about SRSO; see docs/calls.md. */
    private static final Path MITIGATION = Path.of("/sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow");

    private final boolean selectors;

    @Option(names = {"--servers", "--only"}, paramLabel = "NAME", split = ",",
            description = "the servers to measure; besides, nio_interest, and kafka, which fetches 100 MB")
    private List<Subject> servers;

    @Option(names = "--sides", paramLabel = "SIDE", split = ",",
            description = "what they run on: jdk, pollux, off, auto, writes, all; and epoll, io_uring: Netty's own"
                    + " transports")
    private List<Side> sides;

    @Option(names = "--body", paramLabel = "BYTES", description = "length of a reply (default of apps: 11); given,"
            + " all sides have the same heap, resident from the start, and the serial collector")
    private Integer body;

    @Option(names = "--provider", paramLabel = "CLASS", defaultValue = Side.PROVIDER,
            description = "the provider that is compared with the JDK's default")
    private String provider;

    /** Where the script has put the jar. */
    @Option(names = "--pollux", hidden = true, defaultValue = "${env:POLLUX_JAR}", required = true)
    private Path pollux;

    /** Argument: whether the defaults are those that compare selectors, and not the socket calls. */
    public Apps(boolean selectors) {
        this.selectors = selectors;
    }

    @Override
    public Map<String, String> defaults(List<String> words) {
        return selectors ? APPS : CALLS;
    }

    @Override
    public Integer call() throws IOException {
        if (sides.stream().anyMatch(Side::isOfNetty) && !servers.equals(List.of(Subject.NETTY))) {
            throw wrong("--sides epoll and io_uring are Netty's: ask for --servers netty alone");
        }
        check();
        System.out.println("JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors; spec_rstack_overflow: "
                + (Files.exists(MITIGATION) ? Files.readString(MITIGATION).strip() : "not known"));
        List<Entry> entries = new ArrayList<>();
        for (Subject server : servers) {
            if (!server.needsVirtualThreads() || hasVirtualThreads(server.label())) {
                sides.forEach(side -> entries.add(entry(server, side)));
            }
        }
        boolean namesCalls = sides.contains(Side.POLLUX);
        Report report = compare(entries,
                sides.stream().filter(side -> side != Side.POLLUX).map(Side::label).toList(),
                namesCalls ? Set.of(Extra.CALLS_BY_NAME, Extra.SELECTORS) : Set.of());
        System.out.println("on this machine: " + processor());
        report.printRatios(sides.stream().flatMap(side -> side.bases().stream().filter(sides::contains)
                .map(base -> new Pair(side.label(), base.label()))).toList());
        return isRight(report) ? 0 : 1;
    }

    /** The model, since each gain is that of a processor. */
    private static String processor() throws IOException {
        Path file = Path.of("/proc/cpuinfo");
        return Files.readAllLines(file).stream().filter(line -> line.startsWith("model name")).findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(System.getProperty("os.arch"));
    }

    private Entry entry(Subject server, Side side) {
        return new Entry(server.label(), side.label(), server.protocol(), connections -> {
            List<String> options = new ArrayList<>();
            if (body != null) {
                options.addAll(ServerProcess.SAME_HEAP);
                options.add("-Dpollux.micro.body=" + body);
            }
            options.addAll(server.options());
            options.addAll(side.options(server.needsAgent(), provider, pollux));
            return new ServerProcess(server.application(), options, log(server.label(), side.label()));
        });
    }

    /** Whether each server has the selectors and the socket calls of its side. */
    private boolean isRight(Report report) {
        boolean right = true;
        for (Side side : sides) {
            for (Start each : report.starts(start -> start.way().equals(side.label()))) {
                if (sides.contains(Side.POLLUX) && !side.owns(each.selectors())) {
                    System.out.println("WRONG: " + each.server() + " on " + side.label() + " has " + each.selectors());
                    right = false;
                }
                if (side.keepsCalls() && !each.replaced().isEmpty()) {
                    System.out.println("WRONG: the calls of " + each.server() + " on " + side.label()
                            + " should be the JDK's, but these are replaced: " + each.replaced());
                    right = false;
                }
            }
        }
        return right;
    }

    /**
     * The servers, all with their defaults. NIO is one thread with one selector. NIO_INTEREST sets {@code OP_WRITE} for
     * each reply and clears it again, as Kafka does. One of Jetty's handlers says that it never blocks. KAFKA is asked
     * for the versions of its requests; it fetches 100 MB, and needs {@code --warm-up 15}.
     */
    private enum Subject {
        NIO, NIO_INTEREST, NETTY, NETTY_EXAMPLE, UNDERTOW, TOMCAT, JETTY, JETTY_NON_BLOCKING, VERTX,
        HTTPSERVER, THREADS, VIRTUAL, HELIDON, KAFKA;

        /** As the command line, the tables and the files of figures name it. */
        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** As the server's virtual machine knows it. */
        String application() {
            return this == NETTY ? "netty-http" : this == NETTY_EXAMPLE ? "netty" : label();
        }

        /** What its peers speak. */
        String protocol() {
            return this == KAFKA ? "kafka" : "http";
        }

        /** Whether it runs only where there are virtual threads. */
        boolean needsVirtualThreads() {
            return this == VIRTUAL || this == HELIDON;
        }

        /** Whether its virtual machine may never ask for a selector provider, so that the property starts nothing. */
        boolean needsAgent() {
            return this == THREADS || needsVirtualThreads();
        }

        /** Options of the java command on every side. */
        List<String> options() {
            return switch (this) {
                // Else it closes all idle connections but 200, and those after 30 s.
                case HTTPSERVER -> List.of("-Dsun.net.httpserver.maxIdleConnections=100000",
                        "-Dsun.net.httpserver.idleInterval=300");
                // It takes 128 MB for a buffer of its own.
                case KAFKA -> List.of("-Xms512m", "-Xmx512m");
                default -> List.of();
            };
        }
    }
}
