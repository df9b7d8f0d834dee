// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of all programs that compare servers. Used by one thread. */
public abstract class ContestProgram extends Program {
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

    @Option(names = "--pipeline", paramLabel = "N", defaultValue = "1",
            description = "requests that a peer sends at once, before it waits for their answers")
    int pipeline;

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

    final boolean asksFor(Extra extra) {
        return extras.contains(extra);
    }

    /** The log of a server. */
    protected final Path log(String server, String way) {
        return logs.resolve((server + "-" + way + ".log").replace(' ', '-'));
    }

    /** Whether something is wrong with what was asked for; what servers need is looked up. */
    protected final void check(boolean threadPerConnection) throws IOException {
        checkTurns();
        checkPositive("--sets, --outstanding, --rate, --pipeline and --connections",
                List.of(sets, outstanding, rate, pipeline, Collections.min(connections)));
        int most = Collections.max(connections);
        refuse("--connections", Limits.tooFewFiles(most));
        refuse("--connections", threadPerConnection ? Limits.tooFewThreads(most) : null);
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
        Results results = new Contest(this, entries).run(entries.get(0).server());
        Report report = new Report(this, results, bases);
        report.print(System.out);
        write(results);
        return report;
    }
}
