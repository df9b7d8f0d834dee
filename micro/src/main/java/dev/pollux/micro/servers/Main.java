// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The entry point: the command line, checked against what the system permits. */
@Command(name = "micro/servers.sh", description = {"Compares servers at many connections: requests per second of"
        + " processor time, latencies, memory per connection.",
    "\"micro/servers.sh SimpleServer\", \"PollingServer\" and \"Client\" run one program alone;"
        + " each has a --help too."})
public final class Main extends Program {
    @Option(names = "--connections", paramLabel = "N", split = ",", defaultValue = "1000,4000,8000",
            description = "how many connections are open, separated by commas")
    private List<Integer> connections;

    @Option(names = "--ways", paramLabel = "WAY", split = ",",
            defaultValue = "threads,virtual,jdk,pollux,poller,gang,oneshot",
            description = "ways of serving: threads (a platform thread for each connection), virtual (a virtual thread"
                    + " for each; Java 21 or later), jdk (one thread, the JDK's selector), pollux (one thread, the"
                    + " selector of Pollux), poller (one thread, a level-triggered Poller), gang (one thread waits in a"
                    + " level-triggered Poller, and all workers serve), oneshot (all workers wait in a Poller and"
                    + " serve)")
    private List<Kind> ways;

    @Option(names = "--workers", paramLabel = "N", split = ",", defaultValue = "2,4",
            description = "threads of gang and oneshot, separated by commas")
    private List<Integer> workers;

    @Option(names = "--sets", paramLabel = "N", defaultValue = "2",
            description = "how often each way gets fresh virtual machines, for each number of connections")
    private int sets;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "10", description = "each way's turns in each set")
    private int rounds;

    @Option(names = "--requests", paramLabel = "N", defaultValue = "50000",
            description = "requests measured in each turn")
    private int requests;

    @Option(names = "--outstanding", paramLabel = "N", defaultValue = "200",
            description = "requests without a reply at any moment, each on a connection chosen at random")
    private int outstanding;

    @Option(names = "--warm-up", paramLabel = "N", defaultValue = "50000",
            description = "requests before the measured ones, once on 100 connections and once on all")
    private int warmUp;

    @Option(names = "--request", paramLabel = "BYTES", defaultValue = "64",
            description = "size of a request, 8 to 4096")
    private int request;

    @Option(names = "--reply", paramLabel = "BYTES", defaultValue = "64", description = "size of a reply, 8 to 4096")
    private int reply;

    @Option(names = "--stack", paramLabel = "KIB", defaultValue = "256",
            description = "stack of a platform thread (-Xss), in KiB")
    private int stack;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "seed of the random order of the requests")
    private long seed;

    /** Arguments: what {@code --help} explains. */
    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException {
        check();
        Plan plan = new Plan(connections, sets, rounds, requests, outstanding, warmUp, new Sizes(request, reply), stack,
                seed);
        Results results = new Contest(plan, compared()).run();
        new Report(results).print(System.out);
        write(plan, results);
        return 0;
    }

    private void check() throws IOException {
        int most = Collections.max(connections);
        if (Collections.min(connections) < 2 * outstanding) {
            throw wrong("--outstanding " + outstanding + ": at most half of the connections may wait for a reply");
        }
        if (Collections.min(List.of(sets, rounds, requests, outstanding, warmUp, Collections.min(workers))) < 1) {
            throw wrong("--sets, --rounds, --requests, --outstanding, --warm-up and --workers must be 1 or more");
        }
        if (Math.min(request, reply) < Sizes.LEAST || Math.max(request, reply) > Sizes.MOST) {
            throw wrong("--request and --reply: " + Sizes.LEAST + " to " + Sizes.MOST + " bytes");
        }
        String problem = Limits.tooFewFiles(most);
        if (problem == null && ways.contains(Kind.THREADS)) {
            problem = Limits.tooFewThreads(most);
        }
        if (problem != null) {
            throw wrong(problem);
        }
    }

    private List<Way> compared() {
        List<Way> compared = new ArrayList<>();
        for (Kind kind : ways) {
            if (kind == Kind.VIRTUAL && !VirtualThreads.exist()) {
                System.out.println("virtual: left out, since Java " + Runtime.version().feature()
                        + " has no virtual threads; Java 21 and later have");
            } else if (kind.hasWorkers()) {
                workers.forEach(count -> compared.add(new Way(kind, count)));
            } else {
                compared.add(new Way(kind, 1));
            }
        }
        return compared;
    }
}
