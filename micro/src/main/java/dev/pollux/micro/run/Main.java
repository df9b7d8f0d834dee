// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.bench.Providers;
import dev.pollux.micro.run.Row.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.runner.RunnerException;

/**
 * The entry point: rounds over all cases, one fork of each side after the other, then the figures.
 */
public final class Main {
    private final Plan plan;
    private final Fork fork;
    private final Floor floor;
    private final List<Row> rows = new ArrayList<>();

    private Main(Plan plan) {
        this.plan = plan;
        fork = new Fork(plan);
        floor = new Floor(plan);
    }

    /** Arguments: the floor program, the file for the figures, then what {@link Plan} explains. */
    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.print(Plan.USAGE);
            return;
        }
        Plan plan;
        try {
            plan = Plan.parse(args);
            for (Pair pair : plan.pairs()) {
                Providers.named(pair.base());
                Providers.named(pair.other());
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        new Main(plan).run();
    }

    private void run() throws IOException, InterruptedException, RunnerException {
        planRows();
        if (rows.isEmpty()) {
            System.err.println("no benchmark matches " + plan.only());
            System.exit(2);
        }
        for (int round = 0; round < plan.rounds(); round++) {
            for (int i = 0; i < rows.size(); i++) {
                measure(rows.get(i), round);
                report(rows.get(i), round, i);
            }
            Json.write(plan, rows);         // what is there survives if a later round is broken off
        }
    }

    private void planRows() {
        for (Pair pair : plan.pairs()) {
            for (Case what : Case.matching(plan.only())) {
                rows.add(new Row(what, pair, ""));
                if (what.label().equals(Plan.WITH_OPTIONS)) {
                    plan.options().forEach(option -> rows.add(new Row(what, pair, option)));
                }
            }
        }
    }

    /** Every second round goes backwards, so that no side always profits from its place. */
    private void measure(Row row, int round) throws IOException, InterruptedException, RunnerException {
        List<Side> order = Arrays.asList(Side.values());
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        for (Side side : order) {
            row.add(side, switch (side) {
                case LIBC -> floor.run(row.what, row.pair.mechanism(), "libc");
                case RAW -> floor.run(row.what, row.pair.mechanism(), "raw");
                case BASE -> fork.run(row.what, row.pair.base(), "");
                case OTHER -> fork.run(row.what, row.pair.other(), row.option);
            });
        }
    }

    private void report(Row row, int round, int index) {
        for (String figure : row.shown(plan.cpu())) {
            List<Double> ratios = row.ratios(Side.OTHER, Side.BASE, figure);
            System.err.printf(Locale.ROOT, "round %d/%d  %2d/%d  %-5s %-27s %.3f%n", round + 1, plan.rounds(),
                    index + 1, rows.size(), row.pair.mechanism(), row.label(figure), ratios.get(ratios.size() - 1));
        }
    }
}
