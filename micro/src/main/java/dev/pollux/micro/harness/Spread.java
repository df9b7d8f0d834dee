// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.util.List;
import java.util.Locale;

/**
 * The median of some numbers, one per round, and an interval that holds the true median with 95 % (with fewer than six
 * rounds: their smallest and greatest). The interval needs no assumption about how the numbers are distributed. NaN,
 * which stands for what could not be measured, is left out.
 */
public record Spread(double median, double low, double high) {
    /** The figures of at least one round. */
    public static Spread of(List<Double> numbers) {
        double[] sorted = sorted(numbers);
        int cut = outside(sorted.length);
        return new Spread(median(numbers), sorted[cut], sorted[sorted.length - 1 - cut]);
    }

    /** The number in the middle, or the mean of the two; NaN if there is none. */
    public static double median(List<Double> numbers) {
        double[] sorted = sorted(numbers);
        int last = sorted.length - 1;
        return last < 0 ? Double.NaN : (sorted[last / 2] + sorted[(last + 1) / 2]) / 2;
    }

    /** Without what could not be measured. */
    private static double[] sorted(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).filter(number -> !Double.isNaN(number)).sorted()
                .toArray();
    }

    /** How many numbers may be cut off at each end: each lies below the true median with probability one half. */
    private static int outside(int count) {
        double exactly = Math.pow(0.5, count);
        double atMost = 0;
        int cut = 0;
        while ((atMost += exactly) <= 0.025) {
            exactly *= (double) (count - cut) / (cut + 1);
            cut++;
        }
        return Math.max(cut - 1, 0);
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

    /** Median and interval, with that many decimals. */
    public String text(int decimals) {
        String number = "%." + decimals + "f";
        return String.format(Locale.ROOT, number + " [" + number + ".." + number + "]", median, low, high);
    }
}
