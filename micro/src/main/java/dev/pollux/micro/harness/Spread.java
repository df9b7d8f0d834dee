// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.util.List;
import java.util.Locale;

/**
 * The median of some numbers, one per round, and an interval that holds the true median with 95 % (with fewer than six
 * rounds: their smallest and greatest). The interval needs no assumption about how the numbers are distributed.
 */
public record Spread(double median, double low, double high) {
    /** The figures of at least one round. */
    public static Spread of(List<Double> numbers) {
        double[] sorted = Numbers.sorted(numbers);
        int cut = outside(sorted.length);
        return new Spread(Numbers.median(numbers), sorted[cut], sorted[sorted.length - 1 - cut]);
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

    /** Median and interval, with that many decimals. */
    public String text(int decimals) {
        String number = "%." + decimals + "f";
        return String.format(Locale.ROOT, number + " [" + number + ".." + number + "]", median, low, high);
    }
}
