// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import com.grack.nanojson.JsonObject;
import dev.pollux.tools.common.Spread;
import dev.pollux.tools.common.TextTable;
import dev.pollux.tools.common.TextTable.Column;
import dev.pollux.tools.compare.WorkerProcess.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The measurements of one case, in pairs. Ratios are those of pairs, so that a busy machine cancels out. */
final class Row {
    /** In 100 columns; nanoseconds and bytes. */
    static final TextTable<Row> TABLE = new TextTable<>(List.of(new Column<>("", -34, row -> row.label),
            new Column<>("JDK", 8, row -> row.nanos(pair -> pair.jdk.nanos())),
            new Column<>("Pollux", 8, row -> row.nanos(pair -> pair.pollux.nanos())),
            new Column<>(" in the same time Pollux does", -33, row -> ' ' + row.work().verdict()),
            new Column<>("JDK", 6, row -> bytes(row.jdkBytes())),
            new Column<>("Pollux", 6, row -> bytes(row.polluxBytes()))));

    final String label;

    private final List<Pair> pairs = new ArrayList<>();

    private record Pair(Measurement jdk, Measurement pollux) {
    }

    Row(String label) {
        this.label = label;
    }

    /** Adds what was measured in one pair of turns. */
    void add(Measurement jdk, Measurement pollux) {
        pairs.add(new Pair(jdk, pollux));
    }

    /** {@return the ratios of what Pollux and the JDK do in the same time: above 1 Pollux is faster} */
    Spread work() {
        return spread(pair -> pair.jdk.nanos() / pair.pollux.nanos());
    }

    boolean countsBytes() {
        return jdkBytes() >= 0;
    }

    JsonObject json() {
        Spread work = work();
        return JsonObject.builder().value("case", label)
                .value("jdkNanos", spread(pair -> pair.jdk.nanos()).median())
                .value("polluxNanos", spread(pair -> pair.pollux.nanos()).median())
                .value("ratio", 1 / work.median())
                .value("ratioLow", 1 / work.high())
                .value("ratioHigh", 1 / work.low())
                .value("jdkBytes", countsBytes() ? jdkBytes() : null)
                .value("polluxBytes", countsBytes() ? polluxBytes() : null)
                .value("verdict", List.of("slower", "same", "faster").get(work.difference() + 1))
                .value("sentence", work.verdict())
                .done();
    }

    private double jdkBytes() {
        return spread(pair -> pair.jdk.bytes()).median();
    }

    private double polluxBytes() {
        return spread(pair -> pair.pollux.bytes()).median();
    }

    private String nanos(ToDoubleFunction<Pair> nanos) {
        return String.format(Locale.ROOT, "%.0f", spread(nanos).median());
    }

    private static String bytes(double bytes) {
        return bytes < 0 ? "?" : String.format(Locale.ROOT, "%.0f", bytes);
    }

    private Spread spread(ToDoubleFunction<Pair> figure) {
        return Spread.of(pairs.stream().map(figure::applyAsDouble).toList());
    }
}
