// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import dev.pollux.internal.command.JsonText;
import dev.pollux.internal.compare.Colleague.Measurement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What was found for one case. Ratios are those of turns that were taken one right after the other, so what they share,
 * say a busy machine, cancels out. Used by one thread.
 */
final class Row {
    static final String HEAD = String.format("%-34s %12s %12s   %-20s %7s %7s", "", "JDK", "Pollux", "ratio [95 %]",
            "JDK", "Pollux");

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
        if (ratios.high() < 1 / noise.farthestFromOne()) {
            return -1;
        }
        return ratios.low() > noise.farthestFromOne() ? 1 : 0;
    }

    boolean countsBytes() {
        return jdkBytes.median() >= 0;
    }

    String line() {
        return String.format(Locale.ROOT, "%-34s %9.0f ns %9.0f ns   %4.2f [%4.2f..%4.2f]   %7s %7s", label,
                jdkNanos.median(), polluxNanos.median(), ratios.median(), ratios.low(), ratios.high(),
                bytes(jdkBytes.median()), bytes(polluxBytes.median()));
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

    String json() {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("case", JsonText.quoted(label));
        members.put("jdkNanos", number(jdkNanos.median()));
        members.put("polluxNanos", number(polluxNanos.median()));
        members.put("ratio", number(ratios.median()));
        members.put("ratioLow", number(ratios.low()));
        members.put("ratioHigh", number(ratios.high()));
        members.put("noiseLow", number(noise.low()));
        members.put("noiseHigh", number(noise.high()));
        members.put("jdkBytes", countsBytes() ? number(jdkBytes.median()) : "null");
        members.put("polluxBytes", countsBytes() ? number(polluxBytes.median()) : "null");
        members.put("verdict", JsonText.quoted(verdict()));
        members.put("sentence", JsonText.quoted(sentence()));
        return JsonText.object(members);
    }

    private static String bytes(double bytes) {
        return bytes < 0 ? "?" : String.format(Locale.ROOT, "%.0f B", bytes);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
