// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import com.grack.nanojson.JsonObject;
import dev.pollux.tools.common.TextTable;
import dev.pollux.tools.common.TextTable.Column;
import dev.pollux.tools.compare.WorkerProcess.Measurement;
import java.util.List;
import java.util.Locale;

/** The measurements of one case. Ratios are of successive turns, so that a busy machine cancels out. */
final class Row {
    static final TextTable<Row> TABLE = new TextTable<>(List.of(new Column<>("", -34, row -> row.label),
            new Column<>("JDK", 12, row -> nanos(row.jdkNanos)),
            new Column<>("Pollux", 12, row -> nanos(row.polluxNanos)),
            new Column<>("  ratio [95 %]", -22, Row::ratio),
            new Column<>("JDK", 9, row -> bytes(row.jdkBytes)),
            new Column<>("Pollux", 7, row -> bytes(row.polluxBytes))));

    final String label;

    private final Samples ratios = new Samples();
    private final Samples noise = new Samples();
    private final Samples jdkNanos = new Samples();
    private final Samples polluxNanos = new Samples();
    private final Samples jdkBytes = new Samples();
    private final Samples polluxBytes = new Samples();

    Row(String label) {
        this.label = label;
    }

    /** Adds what was measured in one round: by the JDK, by Pollux, by the JDK once more. */
    void add(Measurement jdk, Measurement pollux, Measurement again) {
        ratios.add(pollux.nanos() / jdk.nanos());
        noise.add(again.nanos() / jdk.nanos());
        jdkNanos.add(jdk.nanos());
        polluxNanos.add(pollux.nanos());
        jdkBytes.add(jdk.bytes());
        polluxBytes.add(pollux.bytes());
    }

    /** Less than 0 if Pollux is faster beyond noise, more if it is slower, else 0. */
    int difference() {
        double limit = noise.farthestFromOne();
        return ratios.high() < 1 / limit ? -1 : ratios.low() > limit ? 1 : 0;
    }

    boolean countsBytes() {
        return jdkBytes.median() >= 0;
    }

    private String ratio() {
        return String.format(Locale.ROOT, "  %4.2f [%4.2f..%4.2f]", ratios.median(), ratios.low(), ratios.high());
    }

    /** {@return what {@link #difference} means for Pollux, in a word for scripts} */
    String verdict() {
        return difference() == 0 ? "same" : difference() < 0 ? "faster" : "slower";
    }

    String sentence() {
        String noiseText = String.format(Locale.ROOT, " (noise: the JDK beside itself %.2f [%.2f..%.2f])",
                noise.median(), noise.low(), noise.high());
        if (difference() == 0) {
            return "no difference beyond noise" + noiseText;
        }
        return String.format(Locale.ROOT, difference() < 0 ? "Pollux takes %.2f of the JDK's time"
                : "Pollux is slower here: it takes %.2f of the JDK's time", ratios.median()) + noiseText;
    }

    /** {@return the share of time that is gained; nothing if the interval includes 1, or noise explains it} */
    String gain() {
        if (difference() == 0) {
            return "nothing";
        }
        double median = 100 * (1 - ratios.median());
        return difference() > 0 ? String.format(Locale.ROOT, "nothing: it takes %.0f %% more", -median)
                : String.format(Locale.ROOT, "%.0f %% [%.0f..%.0f] of the time", median, 100 * (1 - ratios.high()),
                        100 * (1 - ratios.low()));
    }

    JsonObject json() {
        return JsonObject.builder().value("case", label)
                .value("jdkNanos", jdkNanos.median())
                .value("polluxNanos", polluxNanos.median())
                .value("ratio", ratios.median())
                .value("ratioLow", ratios.low())
                .value("ratioHigh", ratios.high())
                .value("noiseLow", noise.low())
                .value("noiseHigh", noise.high())
                .value("jdkBytes", countsBytes() ? jdkBytes.median() : null)
                .value("polluxBytes", countsBytes() ? polluxBytes.median() : null)
                .value("verdict", verdict())
                .value("sentence", sentence())
                .done();
    }

    private static String nanos(Samples nanos) {
        return String.format(Locale.ROOT, "%.0f ns", nanos.median());
    }

    private static String bytes(Samples bytes) {
        return bytes.median() < 0 ? "?" : String.format(Locale.ROOT, "%.0f B", bytes.median());
    }
}
