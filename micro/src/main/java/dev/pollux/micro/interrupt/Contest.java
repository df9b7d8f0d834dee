// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures the ways against each other. Each number of connections gets some sets of fresh processes, and each set some
 * rounds. In a round every way has a turn in each mode, and each round begins with another way. Used by one thread.
 */
final class Contest {
    private final Plan plan;
    private final List<Way> ways;
    private final Results results = new Results();

    Contest(Plan plan, List<Way> ways) {
        this.plan = plan;
        this.ways = ways;
    }

    Results run() throws IOException, InterruptedException {
        int turns = 1 + plan.rounds() * plan.modes().size();
        try (Progress progress = new Progress(plan.protocol().label(),
                (long) plan.connections().size() * plan.sets() * turns * ways.size())) {
            for (int connections : plan.connections()) {
                for (int set = 0; set < plan.sets(); set++) {
                    measure(connections, set, progress);
                }
            }
        }
        return results;
    }

    private void measure(int connections, int set, Progress progress) throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>();
        try {
            for (Way way : ways) {
                progress.now(way.label() + " opens " + connections);
                contenders.add(new Contender(way, plan, connections));
                results.footprints().add(contenders.get(contenders.size() - 1).prepare());
                progress.step();
            }
            for (int round = 0; round < plan.rounds(); round++) {
                playRound(contenders, set * plan.rounds() + round, progress);
                Collections.rotate(contenders, 1);
            }
            if (set == 0 && plan.countsCalls()) {
                countCalls(contenders);
            }
        } finally {
            contenders.forEach(Contender::close);
        }
    }

    private void playRound(List<Contender> contenders, int round, Progress progress) throws IOException {
        for (Mode mode : plan.modes()) {
            for (Contender contender : contenders) {
                progress.now(contender.way.label() + " " + mode.label());
                results.samples().add(contender.measure(mode, round));
                progress.step();
            }
        }
    }

    private void countCalls(List<Contender> contenders) throws IOException, InterruptedException {
        for (Mode mode : plan.modes()) {
            for (Contender contender : contenders) {
                results.calls().add(contender.countCalls(mode));
            }
        }
    }
}
