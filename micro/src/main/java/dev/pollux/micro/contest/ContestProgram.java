// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import me.tongfei.progressbar.ProgressBar;
import picocli.CommandLine.Option;

/**
 * A program that compares servers, each in the ways that it is given. Each server and number of connections gets some
 * sets of fresh processes, and each set some rounds. In a round every way has a turn in each mode, and each round
 * begins with another way. Used by one thread.
 */
public abstract class ContestProgram extends Program {
    /** So short that no way is idle for long while another is warmed up. */
    private static final double WARM_UP_SECONDS = 3;

    @Option(names = "--connections", paramLabel = "N", split = ",",
            description = "how many connections are open, separated by commas")
    public List<Integer> connections;

    @Option(names = "--modes", paramLabel = "MODE", split = ",",
            description = "full (the server on the first processor, its peers on the others), free (nothing is bound),"
                    + " shared (all on the first), paced (as full, at --rate), paced_free (as free, at --rate)")
    public List<Mode> modes;

    @Option(names = {"--sets", "--pairs"}, paramLabel = "N",
            description = "how often each server gets fresh processes, for each number of connections; each set has"
                    + " all --rounds")
    int sets;

    @Option(names = "--outstanding", paramLabel = "N", defaultValue = "200",
            description = "requests on their way under full load, at most one for each connection")
    int outstanding;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "3000", description = "requests per second when paced")
    int rate;

    @Option(names = "--count-calls", negatable = true, fallbackValue = "true",
            description = "count system calls too, in turns of their own")
    boolean countsCalls;

    /** Where the script wants the servers' standard error. */
    @Option(names = "--logs", hidden = true, defaultValue = "${env:POLLUX_LOGS}", required = true)
    private Path logs;

    private Set<Extra> extras;

    /** What is only read of servers where it is asked for. */
    protected enum Extra {
        /** Memory per connection. */
        MEMORY,
        /** Live selectors in the heap. */
        SELECTORS,
        /** The names of system calls. */
        CALLS_BY_NAME
    }

    /**
     * A server in one of the ways that are compared.
     *
     * @param server what is compared with each other has the same name here
     * @param way as the tables and the files of figures name it
     * @param protocol what its peers speak, as load.c knows it
     * @param starter starts it
     */
    public record Entry(String server, String way, String protocol, Starter starter) {
        @Override
        public String toString() {
            return server + ", " + way;
        }
    }

    /** Starts a server in a process of its own. */
    public interface Starter {
        /** Starts one more. Argument: how many connections it will have. */
        ServerProcess start(int connections) throws IOException;
    }

    final boolean asksFor(Extra extra) {
        return extras.contains(extra);
    }

    /** The log of a server. */
    protected final Path log(String server, String way) {
        return logs.resolve((server + "-" + way + ".log").replace(' ', '-'));
    }

    /** Refuses numbers that make no sense. */
    protected final void check() {
        checkTurns();
        checkPositive("--sets, --outstanding, --rate and --connections",
                List.of(sets, outstanding, rate, Collections.min(connections)));
    }

    /** Says that virtual threads are missing; true if they are there. */
    protected static boolean hasVirtualThreads(String label) {
        if (!VirtualThreads.exist()) {
            System.out.println(label + ": left out, since Java " + Runtime.version().feature()
                    + " has no virtual threads; Java 21 and later have");
        }
        return VirtualThreads.exist();
    }

    /**
     * Measures, prints the tables and writes the figures, which it also does whenever a server is finished.
     *
     * @param bases the ways that others are compared with; a name's beginning stands for the best of those
     * @param asked what is read besides
     */
    protected final Report compare(List<Entry> entries, List<String> bases, Set<Extra> asked) throws IOException {
        extras = asked;
        if (countsCalls && !CallCounter.works(asksFor(Extra.CALLS_BY_NAME))) {
            System.out.println("System calls are not counted: there is no strace, or it is not permitted");
            countsCalls = false;
        }
        Files.createDirectories(logs);
        Results results = new Results();
        Collection<List<Entry>> servers = entries.stream()
                .collect(Collectors.groupingBy(Entry::server, LinkedHashMap::new, Collectors.toList())).values();
        try (ProgressBar progress = Rounds.progress("servers", connections.size() * sets
                * (1 + (long) rounds * modes.size()) * entries.size())) {
            for (List<Entry> ways : servers) {
                for (int count : connections) {
                    for (int set = 0; set < sets; set++) {
                        measure(ways, count, set, results, progress);
                    }
                    save(results);
                }
            }
        }
        Report report = new Report(this, results, bases);
        report.print(System.out);
        write(results);
        return report;
    }

    private void measure(List<Entry> ways, int count, int set, Results results, ProgressBar progress)
            throws IOException {
        List<Entry> order = new ArrayList<>(ways);
        Collections.rotate(order, set);
        List<Contender> contenders = new ArrayList<>();
        try {
            for (Entry entry : order) {
                progress.setExtraMessage(" " + entry + " opens " + count);
                contenders.add(new Contender(entry, this, count));
                results.starts().add(contenders.get(contenders.size() - 1).open());
                progress.step();
            }
            int turns = (int) Math.ceil(warmUp / WARM_UP_SECONDS);
            for (int turn = 0; turn < turns; turn++) {
                for (Contender contender : contenders) {
                    contender.warmUp(warmUp / turns);
                }
            }
            for (int round = 0; round < rounds; round++) {
                for (Mode mode : modes) {
                    for (Contender contender : contenders) {
                        progress.setExtraMessage(" " + contender.entry + ", " + mode.label());
                        results.samples().add(contender.measure(mode, set * rounds + round));
                        progress.step();
                    }
                }
                Collections.rotate(contenders, 1);
            }
            for (Mode mode : countsCalls ? modes : List.<Mode>of()) {
                for (Contender contender : contenders) {
                    results.calls().add(contender.countCalls(mode));
                }
            }
        } finally {
            contenders.forEach(Contender::close);
        }
    }
}
