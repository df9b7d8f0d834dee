// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.distribution.BinomialDistribution;
import org.openjdk.jmh.util.ListStatistics;

/**
 * The median of some numbers, one per round, and an interval that holds the true median with 95 % (with fewer than six
 * rounds: their smallest and greatest). The interval needs no assumption about how the numbers are distributed. NaN,
 * which stands for what could not be measured, is left out; all is NaN if nothing was.
 */
public record Spread(double median, double low, double high) {
    /** The figures of the rounds. */
    public static Spread of(List<Double> numbers) {
        double[] sorted = numbers.stream().mapToDouble(Double::doubleValue).filter(number -> !Double.isNaN(number))
                .sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN);
        }
        // How many may be cut off at each end: each lies below the true median with probability one half.
        int cut = Math.max(0, new BinomialDistribution(sorted.length, 0.5).inverseCumulativeProbability(0.025) - 1);
        return new Spread(new ListStatistics(sorted).getPercentile(50), sorted[cut], sorted[sorted.length - 1 - cut]);
    }

    /** {@return what a ratio of useful work gains in percent; nothing if its interval includes 1} */
    public String gain() {
        if (low <= 1 && high >= 1) {
            return "nothing";
        }
        String percent = String.format(Locale.ROOT, "%.0f %% [%.0f..%.0f]", 100 * (median - 1), 100 * (low - 1),
                100 * (high - 1));
        return low > 1 ? percent : "nothing, but loses: " + percent;
    }

    /** Median and interval, with that many decimals; "-" if nothing was measured. */
    public String text(int decimals) {
        String number = "%." + decimals + "f";
        return Double.isNaN(median) ? "-"
                : String.format(Locale.ROOT, number + " [" + number + ".." + number + "]", median, low, high);
    }
}
