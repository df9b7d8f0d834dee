// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Pace;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.SystemCalls;
import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The entry point: the command line, checked against what the system permits. */
@Command(name = "micro/calls.sh", description = "Measures unmodified servers on the JDK alone (jdk), on Pollux with the"
        + " JDK's own socket calls (off), and on Pollux as it is (auto): requests per second of the server's processor"
        + " time, and latencies.", footer = {"", "The script's own options:",
            "  --jdk DIR        the JDK to run on (default: the java command)",
            "  --no-build       use what was built before"})
public final class Main extends Program {
    @Option(names = "--servers", paramLabel = "NAME", split = ",",
            defaultValue = "nio,netty,undertow,tomcat,jetty,jetty_non_blocking,jetty_blocking,vertx,httpserver,threads,"
                    + "virtual,helidon", description = "the servers to measure; besides, kafka, which fetches 100 MB")
    private List<Subject> servers;

    @Option(names = "--sides", paramLabel = "SIDE", split = ",", defaultValue = "jdk,off,auto",
            description = "what they run on: jdk, off, auto, writes, all; and epoll, io_uring: Netty's own transports")
    private List<Side> sides;

    @Option(names = "--connections", paramLabel = "N", split = ",", defaultValue = "1,64,1000",
            description = "how many connections are open, separated by commas")
    private List<Integer> connections;

    @Option(names = "--modes", paramLabel = "MODE", split = ",", defaultValue = "full,paced",
            description = "full (the server on the first processor, its peers on the others), free (nothing is bound),"
                    + " shared (all on the first), paced (as full, at --rate)")
    private List<Mode> modes;

    @Option(names = "--sets", paramLabel = "N", defaultValue = "3",
            description = "how often each server gets fresh virtual machines, for each number of connections")
    private int sets;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3",
            description = "turns of each side in each set")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "1", description = "length of a turn")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "6",
            description = "load on each side before a set's first turn")
    private double warmUp;

    @Option(names = "--outstanding", paramLabel = "N", defaultValue = "200",
            description = "requests on their way under full load, at most one for each connection")
    private int outstanding;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "3000", description = "requests per second when paced")
    private int rate;

    @Option(names = "--body", paramLabel = "BYTES", defaultValue = "1024", description = "length of a reply")
    private int body;

    @Option(names = "--pipeline", paramLabel = "N", defaultValue = "1",
            description = "requests that a peer sends at once, before it waits for their answers")
    private int pipeline;

    @Option(names = "--count-calls", description = "count system calls by strace too, in turns of their own")
    private boolean countsCalls;

    /** Where the script has put the jar, and wants the logs. */
    @Option(names = "--pollux", hidden = true, required = true)
    private Path pollux;

    @Option(names = "--logs", hidden = true, required = true)
    private Path logs;

    /** Arguments: what {@code --help} explains. */
    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        if (countsCalls && !SystemCalls.canBeCounted()) {
            System.out.println("System calls are not counted: there is no strace, or it is not permitted");
            countsCalls = false;
        }
        Plan plan = new Plan(possible(), sides, connections, modes, sets, rounds, warmUp,
                new Pace(seconds, outstanding, rate), body, pipeline, countsCalls);
        Results results = new Contest(plan, pollux, Files.createDirectories(logs)).run(soFar -> save(plan, soFar));
        new Report(plan, results).print(System.out);
        write(plan, results);
        return 0;
    }

    private void check() throws IOException {
        int least = Collections.min(List.of(sets, rounds, outstanding, rate, pipeline, Collections.min(connections)));
        if (least < 1 || seconds <= 0) {
            throw wrong("--sets, --rounds, --outstanding, --rate, --pipeline, --connections and --seconds must be more"
                    + " than 0");
        }
        if (sides.stream().anyMatch(Side::isOfNetty) && !servers.equals(List.of(Subject.NETTY))) {
            throw wrong("--sides epoll and io_uring are Netty's: ask for --servers netty alone");
        }
        int most = Collections.max(connections);
        String problem = Limits.tooFewFiles(most);
        if (problem == null && servers.contains(Subject.THREADS)) {
            problem = Limits.tooFewThreads(most);
        }
        if (problem != null) {
            throw wrong(problem);
        }
    }

    /** Those that this JDK can run. */
    private List<Subject> possible() {
        if (VirtualThreads.exist()) {
            return servers;
        }
        servers.stream().filter(Subject::needsVirtualThreads).forEach(each -> System.out.println(
                each.label() + ": left out, since Java " + Runtime.version().feature() + " has no virtual threads"));
        return servers.stream().filter(each -> !each.needsVirtualThreads()).toList();
    }
}
