// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.Numbers;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Prints rows for people. */
final class Table {
    private static final double WORTH_NAMING = 0.01;

    private final PrintStream out;

    Table(PrintStream out) {
        this.out = out;
    }

    void print(List<Row> rows) {
        out.println("\nmedians over the rounds; ratio = Pollux/JDK of one round, its median [min..max]");
        out.printf("%-26s %-21s %10s %10s  %-21s %s%n", "server", "figure", "JDK", "Pollux", "ratio", "wanted");
        for (Row row : rows) {
            for (Figure figure : Figure.values()) {
                print(row, figure);
            }
        }
        out.println();
        for (Figure load : List.of(Figure.CPU, Figure.PACED_CPU)) {
            List<Double> ratios = rows.stream().map(row -> Numbers.median(row.ratios(load))).toList();
            out.printf(Locale.ROOT, "%s, median of the servers: %.3f (wanted <= 1.00)%n", load.label,
                    Numbers.median(ratios));
        }
        for (Figure load : List.of(Figure.CALLS, Figure.PACED_CALLS)) {
            out.println("\n" + load.label + ", JDK -> Pollux");
            rows.forEach(row -> printCalls(row, load));
        }
        out.println("\nselector classes x live instances");
        rows.forEach(row -> out.printf("%-15s %s%n", row.subject.label, row.selectors));
    }

    private void print(Row row, Figure figure) {
        List<Double> ratios = row.ratios(figure);
        double median = Numbers.median(ratios);
        double limit = figure.limit(row.subject);
        String number = "%10." + figure.decimals + "f";
        out.printf(Locale.ROOT, "%-26s %-21s " + number + " " + number + "  %-21s %s%n",
                figure.ordinal() == 0 ? row.subject.label + " " + row.version : "", figure.label,
                Numbers.median(row.values(Side.JDK, figure)), Numbers.median(row.values(Side.POLLUX, figure)),
                String.format(Locale.ROOT, "%.3f [%.2f..%.2f]", median, Numbers.min(ratios), Numbers.max(ratios)),
                Double.isNaN(limit) ? ""
                        : String.format(Locale.ROOT, "<= %.2f%s", limit, median <= limit ? "" : "  MISSED"));
    }

    private void printCalls(Row row, Figure load) {
        StringJoiner line = new StringJoiner(", ");
        for (String name : row.callNames(load)) {
            double jdk = row.calls(Side.JDK, load, name);
            double pollux = row.calls(Side.POLLUX, load, name);
            if (Math.max(jdk, pollux) >= WORTH_NAMING) {
                line.add(String.format(Locale.ROOT, "%s %.3f -> %.3f", name, jdk, pollux));
            }
        }
        out.printf("%-15s %s%n", row.subject.label, line);
    }
}
