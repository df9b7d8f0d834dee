// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.run.Row.Side;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Prints rows for people. */
final class Table {
    private final PrintStream out;
    private final boolean cpu;

    Table(PrintStream out, boolean cpu) {
        this.out = out;
        this.cpu = cpu;
    }

    void print(Pair pair, List<Row> rows) {
        out.printf("%n%s: %s (base) and %s%n", pair.mechanism(), pair.base(), pair.other());
        out.println((cpu ? "processor" : "elapsed") + " time, medians over the rounds; ratio = other/base within a round, floor = other/C loop (libc, raw)");
        out.printf("%-27s %11s %11s  %-19s %11s %6s %6s %8s %8s%n",
                "benchmark", "base ns", "other ns", "ratio [min..max]", "floor ns", "/libc", "/raw", "base B", "other B");
        for (Row row : rows) {
            row.shown(cpu).forEach(figure -> print(row, figure));
        }
        List<String> slower = rows.stream().flatMap(row -> row.shown(cpu).stream()
                .filter(figure -> Figures.median(row.ratios(Side.OTHER, Side.BASE, figure)) > 1)
                .map(row::label)).toList();
        out.println(slower.isEmpty() ? "nothing is slower than the base" : "slower than the base: " + slower);
    }

    private void print(Row row, String figure) {
        List<Double> ratios = row.ratios(Side.OTHER, Side.BASE, figure);
        out.printf(Locale.ROOT, "%-27s %11.1f %11.1f  %-19s %11.1f %6.2f %6.2f %8.1f %8.1f%n",
                row.label(figure),
                Figures.median(row.nanos(Side.BASE, figure)),
                Figures.median(row.nanos(Side.OTHER, figure)),
                String.format(Locale.ROOT, "%.3f [%.2f..%.2f]",
                        Figures.median(ratios), Figures.min(ratios), Figures.max(ratios)),
                Figures.median(row.nanos(Side.LIBC, figure)),
                Figures.median(row.ratios(Side.OTHER, Side.LIBC, figure)),
                Figures.median(row.ratios(Side.OTHER, Side.RAW, figure)),
                Figures.median(row.bytes(Side.BASE)),
                Figures.median(row.bytes(Side.OTHER)));
    }
}
