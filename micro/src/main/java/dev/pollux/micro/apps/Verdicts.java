// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.contest.Mode;
import dev.pollux.micro.contest.Report;
import dev.pollux.micro.contest.Results.Calls;
import dev.pollux.micro.contest.Sample;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The ratios of unmodified servers on Pollux and on the JDK. Used by one thread. */
final class Verdicts {
    private final Report report;
    private final List<Subject> servers;

    Verdicts(Report report, List<Subject> servers) {
        this.report = report;
        this.servers = servers;
    }

    void print() {
        for (int connections : report.plan.connections) {
            for (Mode mode : report.plan.modes) {
                print(connections, mode.label());
            }
        }
    }

    private void print(int connections, String mode) {
        System.out.printf("%n%d connections, %s: Pollux / JDK, medians of the ratios of the rounds [95 %% interval]%n",
                connections, mode);
        List<Double> medians = new ArrayList<>();
        for (Subject server : servers) {
            Series<Sample> jdk = report.samples(server.label(), Side.JDK.label(), connections, mode);
            Series<Sample> pollux = report.samples(server.label(), Side.POLLUX.label(), connections, mode);
            Spread processor = pollux.ratio(jdk, Sample::cpuMicros);
            Spread calls = report.calls(server.label(), Side.POLLUX.label(), connections, mode)
                    .ratio(report.calls(server.label(), Side.JDK.label(), connections, mode), Calls::perRequest);
            medians.add(processor.median());
            say(server, "processor time", processor.text(3));
            if (calls != null) {
                say(server, "system calls", calls.text(3));
            }
            say(server, "bytes allocated", pollux.ratio(jdk, Sample::bytesPerRequest, 3));
            say(server, "p50", pollux.ratio(jdk, Sample::p50Micros, 3));
            say(server, "p99", pollux.ratio(jdk, Sample::p99Micros, 3));
        }
        System.out.printf(Locale.ROOT, "processor time of a request, median of the servers: %.3f%n",
                Spread.median(medians));
    }

    private static void say(Subject server, String figure, String what) {
        System.out.printf("%-15s %-16s %s%n", server.label(), figure, what);
    }
}
