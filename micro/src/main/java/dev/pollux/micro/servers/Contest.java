// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures the ways against each other. Each number of connections gets some sets of fresh virtual machines, and each
 * set some rounds. In a round every way has a turn, and each round begins with another way. Used by one thread.
 */
final class Contest {
    private final Plan plan;
    private final List<Way> ways;
    private final Results results = new Results();

    Contest(Plan plan, List<Way> ways) {
        this.plan = plan;
        this.ways = ways;
    }

    Results run() throws IOException {
        try (Progress progress = new Progress("servers",
                (long) plan.connections().size() * plan.sets() * (plan.rounds() + 1) * ways.size())) {
            for (int connections : plan.connections()) {
                for (int set = 0; set < plan.sets(); set++) {
                    measure(connections, set, progress);
                }
            }
        }
        return results;
    }

    private void measure(int connections, int set, Progress progress) throws IOException {
        List<Contender> contenders = new ArrayList<>();
        try {
            for (Way way : ways) {
                progress.now(way.label() + " opens " + connections);
                contenders.add(new Contender(way, plan, connections));
                results.footprints().add(contenders.get(contenders.size() - 1).prepare());
                progress.step();
            }
            for (int round = 0; round < plan.rounds(); round++) {
                for (Contender contender : contenders) {
                    progress.now(contender.way.label() + " serves " + connections);
                    results.samples().add(contender.measure(set * plan.rounds() + round));
                    progress.step();
                }
                Collections.rotate(contenders, 1);
            }
        } finally {
            contenders.forEach(Contender::close);
        }
    }
}
