// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures the sides of each server against each other. Each server and number of connections gets some sets of fresh
 * virtual machines, and each set some rounds. In a round every side has a turn in each mode, and each round begins with
 * another side. Used by one thread.
 */
final class Contest {
    /** What the kernel does about SRSO; see docs/calls.md. */
    private static final Path MITIGATION = Path.of("/sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow");

    /** So short that no side is idle for long while another is warmed up. */
    private static final double WARM_UP_SECONDS = 3;

    private final Plan plan;
    private final Path pollux;
    private final Path logs;
    private final Results results = new Results(mitigation());

    Contest(Plan plan, Path pollux, Path logs) throws IOException {
        this.plan = plan;
        this.pollux = pollux;
        this.logs = logs;
    }

    private static String mitigation() throws IOException {
        try {
            return Files.readString(MITIGATION).strip();
        } catch (NoSuchFileException unknown) {
            return "not known";
        }
    }

    /** Where results go before all are there. */
    interface Store {
        void save(Results soFar) throws IOException;
    }

    Results run(Store store) throws IOException, InterruptedException {
        try (Progress progress = new Progress("calls", (long) plan.servers().size() * plan.connections().size()
                * plan.sets() * plan.rounds())) {
            for (Subject server : plan.servers()) {
                for (int connections : plan.connections()) {
                    for (int set = 0; set < plan.sets(); set++) {
                        measure(server, connections, set, progress);
                    }
                    store.save(results);
                }
            }
        }
        return results;
    }

    private void measure(Subject server, int connections, int set, Progress progress)
            throws IOException, InterruptedException {
        List<Side> sides = new ArrayList<>(plan.sides());
        Collections.rotate(sides, set);
        List<Contender> contenders = new ArrayList<>();
        try {
            progress.now(server.label() + " at " + connections);
            for (Side side : sides) {
                contenders.add(new Contender(server, side, connections, plan, pollux, logs));
            }
            for (Contender contender : contenders) {
                results.starts().add(contender.open());
            }
            warmUp(contenders);
            for (int round = 0; round < plan.rounds(); round++) {
                playRound(contenders, set * plan.rounds() + round);
                Collections.rotate(contenders, 1);
                progress.step();
            }
            for (Contender contender : plan.countsCalls() ? contenders : List.<Contender>of()) {
                results.counted().add(contender.count(plan.pace()));
            }
        } finally {
            contenders.forEach(Contender::close);
        }
    }

    private void warmUp(List<Contender> contenders) throws IOException {
        int turns = (int) Math.ceil(plan.warmUp() / WARM_UP_SECONDS);
        for (int turn = 0; turn < turns; turn++) {
            for (Contender contender : contenders) {
                contender.warmUp(plan.warmUp() / turns, plan.pace().outstanding());
            }
        }
    }

    private void playRound(List<Contender> contenders, int round) throws IOException {
        for (Mode mode : plan.modes()) {
            for (Contender contender : contenders) {
                results.turns().add(contender.measure(mode, plan.pace(), round));
            }
        }
    }
}
