// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.contest.Mode;
import dev.pollux.micro.contest.Report;
import dev.pollux.micro.contest.Sample;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Spread;
import java.util.List;

/** Says in words what each side gains on this machine, and if nothing, that. Used by one thread. */
final class Gains {
    /** With fewer an interval holds the median with less than 95 %. */
    private static final int MIN_ROUNDS = 6;

    private final Report report;
    private final List<Side> sides;

    Gains(Report report, List<Side> sides) {
        this.report = report;
        this.sides = sides;
    }

    void print(String server) {
        for (int connections : report.plan.connections) {
            for (Mode mode : report.plan.modes) {
                for (Side side : sides) {
                    for (Side base : side.bases().stream().filter(sides::contains).toList()) {
                        print(server, connections, mode.label(), side, base);
                    }
                }
            }
        }
    }

    private void print(String server, int connections, String mode, Side side, Side base) {
        Series<Sample> before = report.samples(server, base.label(), connections, mode);
        Spread ratio = report.samples(server, side.label(), connections, mode).ratio(before, Sample::perCpuSecond);
        if (ratio != null) {
            System.out.printf("%s, %d connections, %s: %s beside %s gains %s%n", server, connections, mode,
                    side.label(), base.label(),
                    before.samples().size() < MIN_ROUNDS ? "what so few rounds can't tell" : ratio.gain());
        }
    }
}
