// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The entry point: the command line, checked against what the system permits. */
@Command(name = "micro/interrupt.sh, micro/cache.sh", description = "Compares Interruptlets with other ways of serving:"
        + " requests per second of the server's processor time, latencies, system calls, context switches, garbage,"
        + " memory per connection.")
public final class Main extends Program {
    @Option(names = "--protocol", paramLabel = "WHAT", defaultValue = "http",
            description = "what is asked for: echo (64 bytes), http (a page of 1 KiB), http8k, http64k (larger pages),"
                    + " mix (the page cache: 70 %% static pages; what cache.sh measures)")
    private Protocol protocol;

    @Option(names = "--connections", paramLabel = "N", split = ",", defaultValue = "64,1000,8000",
            description = "how many connections are open, separated by commas")
    private List<Integer> connections;

    @Option(names = "--modes", paramLabel = "MODE", split = ",", defaultValue = "full,free,paced",
            description = "full (the server on the first processor, its peers on the others), free (nothing is bound),"
                    + " shared (all on the first), paced (as full, at --rate)")
    private List<Mode> modes;

    @Option(names = "--ways", paramLabel = "WAY", split = ",",
            description = "ways of serving (default: all that the protocol has): threads, virtual, jdk, pollux, poller,"
                    + " netty_nio, netty_pollux, netty_epoll, netty_uring, uring, epoll, uring_copied, epoll_copied,"
                    + " handover, c_loop, c_uring, c_epoll")
    private List<Way> ways;

    @Option(names = "--sets", paramLabel = "N", defaultValue = "1",
            description = "how often each way gets fresh processes, for each number of connections")
    private int sets;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "each way's turns in each set")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "1", description = "length of a turn")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "8",
            description = "load before the first turn, once on few connections and once on all")
    private double warmUp;

    @Option(names = "--outstanding", paramLabel = "N", defaultValue = "200",
            description = "requests on their way under full load, at most one for each connection")
    private int outstanding;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "3000", description = "requests per second when paced")
    private int rate;

    @Option(names = "--no-calls", description = "don't count system calls")
    private boolean noCalls;

    /** Arguments: what {@code --help} explains. */
    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        boolean countsCalls = !noCalls && CallCounter.works();
        Plan plan = new Plan(protocol, connections, modes, sets, rounds, seconds, warmUp, outstanding, rate,
                countsCalls);
        Results results = new Contest(plan, compared()).run();
        new Report(plan, results).print(System.out);
        write(plan, results);
        return 0;
    }

    private void check() throws IOException {
        int least = Collections.min(List.of(sets, rounds, outstanding, rate, Collections.min(connections)));
        if (least < 1 || seconds <= 0) {
            throw wrong("--sets, --rounds, --outstanding, --rate, --connections and --seconds must be more than 0");
        }
        int most = Collections.max(connections);
        String problem = Limits.tooFewFiles(most);
        if (problem == null && (ways == null || ways.contains(Way.THREADS))) {
            problem = Limits.tooFewThreads(most);
        }
        if (problem != null) {
            throw wrong(problem);
        }
    }

    private List<Way> compared() {
        List<Way> compared = new ArrayList<>();
        for (Way way : ways == null ? Arrays.asList(Way.values()) : ways) {
            if (way == Way.VIRTUAL && !VirtualThreads.exist()) {
                if (protocol != Protocol.MIX) {
                    System.out.println("virtual: left out, since Java " + Runtime.version().feature()
                            + " has no virtual threads; Java 21 and later have");
                }
            } else if (way.serves(protocol)) {
                compared.add(way);
            } else if (ways != null) {
                throw wrong("--ways " + way.label() + ": does not serve " + protocol.label());
            }
        }
        return compared;
    }
}
