// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Measures the ways of each server against each other. Each server and number of connections gets some sets of fresh
 * processes, and each set some rounds. In a round every way has a turn in each mode, and each round begins with another
 * way. Used by one thread.
 */
final class Contest {
    /** So short that no way is idle for long while another is warmed up. */
    private static final double WARM_UP_SECONDS = 3;

    private final ContestProgram plan;
    private final Collection<List<Entry>> servers;
    private final Results results = new Results();

    Contest(ContestProgram plan, List<Entry> entries) {
        this.plan = plan;
        servers = entries.stream()
                .collect(Collectors.groupingBy(Entry::server, LinkedHashMap::new, Collectors.toList())).values();
    }

    /** Saves what is there so far whenever a server is finished. */
    Results run(String name) throws IOException {
        long entries = servers.stream().mapToLong(List::size).sum();
        try (Progress progress = new Progress(name, plan.connections.size() * plan.sets
                * (1 + (long) plan.rounds * plan.modes.size()) * entries)) {
            for (List<Entry> ways : servers) {
                for (int connections : plan.connections) {
                    for (int set = 0; set < plan.sets; set++) {
                        measure(ways, connections, set, progress);
                    }
                    plan.save(results);
                }
            }
        }
        return results;
    }

    private void measure(List<Entry> ways, int connections, int set, Progress progress) throws IOException {
        List<Entry> order = new ArrayList<>(ways);
        Collections.rotate(order, set);
        List<Contender> contenders = new ArrayList<>();
        try {
            for (Entry entry : order) {
                progress.now(entry.server() + ", " + entry.way() + " opens " + connections);
                contenders.add(new Contender(entry, plan, connections));
                results.starts().add(contenders.get(contenders.size() - 1).open());
                progress.step();
            }
            warmUp(contenders);
            for (int round = 0; round < plan.rounds; round++) {
                playRound(contenders, set * plan.rounds + round, progress);
                Collections.rotate(contenders, 1);
            }
            if (plan.countsCalls) {
                countCalls(contenders);
            }
        } finally {
            contenders.forEach(Contender::close);
        }
    }

    private void warmUp(List<Contender> contenders) throws IOException {
        int turns = (int) Math.ceil(plan.warmUp / WARM_UP_SECONDS);
        for (int turn = 0; turn < turns; turn++) {
            for (Contender contender : contenders) {
                contender.warmUp(plan.warmUp / turns);
            }
        }
    }

    private void playRound(List<Contender> contenders, int round, Progress progress) throws IOException {
        for (Mode mode : plan.modes) {
            for (Contender contender : contenders) {
                progress.now(contender.entry.server() + ", " + contender.entry.way() + ", " + mode.label());
                results.samples().add(contender.measure(mode, round));
                progress.step();
            }
        }
    }

    private void countCalls(List<Contender> contenders) throws IOException {
        for (Mode mode : plan.modes) {
            for (Contender contender : contenders) {
                results.calls().add(contender.countCalls(mode));
            }
        }
    }
}
