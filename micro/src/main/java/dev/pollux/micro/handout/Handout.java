// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import dev.pollux.micro.handout.Race.Load;
import dev.pollux.micro.handout.Race.Sample;
import dev.pollux.micro.handout.Race.Way;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Handing out one member at a time against batches that their threads hold. In a round each way has a fresh virtual
 * machine for each load and number of threads, the other one first in the next round. Used by one thread.
 */
@Command(description = "What it costs and gains that a Poller hands out one ready member"
        + " at a time: events per second, and the time until a ready member is handled.")
public final class Handout extends Program {

    @Option(names = "--threads", paramLabel = "N", split = ",", defaultValue = "1,2,4,8,16",
            description = "numbers of threads, separated by commas")
    private List<Integer> threads;

    @Option(names = "--loads", paramLabel = "LOAD", split = ",", defaultValue = "short,long",
            description = "short (handlers never block) or long (every 16th handler blocks for 5 ms)")
    private List<Load> loads;

    @Option(names = "--members", paramLabel = "N", defaultValue = "64",
            description = "one-shot members, all ready all the time")
    private int members;

    @Option(names = "--batch", paramLabel = "N", defaultValue = "8",
            description = "members that a thread takes at most in a batch")
    private int batch;

    /** What all ways are measured with. */
    private record Setting(Load load, int threads) {
        @Override
        public String toString() {
            return load.name().toLowerCase(Locale.ROOT) + ", " + threads + " threads";
        }
    }

    @Override
    public Map<String, String> defaults(List<String> words) {
        return Map.of("--rounds", "10", "--seconds", "1", "--warm-up", "1.5");
    }

    @Override
    public Integer call() throws IOException {
        checkTurns();
        checkPositive("--members, --batch and --threads", List.of(members, batch, Collections.min(threads)));
        List<Setting> settings = loads.stream()
                .flatMap(load -> threads.stream().map(count -> new Setting(load, count))).toList();
        Rounds<Setting, Sample> results = Rounds.play("handout", this, settings, List.of(Way.values()),
                (setting, way) -> Child.measure(Sample.class, Child.java(List.of(), Race.class, way.name(),
                        setting.load().name(), "" + setting.threads(), "" + members, "" + batch, "" + warmUp,
                        "" + seconds)));
        loads.forEach(load -> print(results, load));
        write(results.results());
        return 0;
    }

    private void print(Rounds<Setting, Sample> results, Load load) {
        Table table = new Table("way", "threads", "events/s", "events/CPU s", "p50, us", "p99, us", "max, us",
                "events/s / batch", "events/CPU s / batch", "p99 / batch", "max / batch");
        for (int count : threads) {
            Setting setting = new Setting(load, count);
            Series<Sample> base = results.of(Way.BATCH, setting);
            for (Way way : Way.values()) {
                Series<Sample> series = results.of(way, setting);
                table.add(way.label, count, series.median(Sample::perSecond, 0),
                        series.median(Sample::perCpuSecond, 0), series.median(Sample::p50, 0),
                        series.median(Sample::p99, 0), series.median(Sample::max, 0),
                        series.ratio(base, Sample::perSecond, 2), series.ratio(base, Sample::perCpuSecond, 2),
                        series.ratio(base, Sample::p99, 2), series.ratio(base, Sample::max, 2));
            }
        }
        System.out.printf("%n%s handlers, %d members, all ready all the time; times from ready to handled; batches"
                + " of %d; medians of the rounds [95 %% interval of the median]; %d processors%n%s%n",
                load.name().toLowerCase(Locale.ROOT), members, batch, Runtime.getRuntime().availableProcessors(),
                table);
    }
}
