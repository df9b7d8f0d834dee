// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.common;

import java.util.List;
import java.util.Locale;

/**
 * The median of some numbers, one of each round, and an interval that holds the true median with 95 % (with fewer than
 * six rounds: their smallest and greatest). The interval needs no assumption about how the numbers are distributed.
 * NaN, which stands for what could not be measured, is left out; all is NaN if nothing was. Immutable.
 */
public record Spread(double median, double low, double high) {
    /** The median's rank has a standard deviation of half the root of the count, and 95 % are within 1.96 of these. */
    private static final double DEVIATION = 1.96 / 2;

    /** An interval around 1 that is wider than by this factor hides differences that matter. */
    private static final double WIDE = 1.25;

    /** Of an interval beside 1 that is wider than this the ends would be taken for more than they are. */
    private static final double VERY_WIDE = 1.5;

    /** {@return the spread of these numbers} */
    public static Spread of(List<Double> numbers) {
        double[] sorted = numbers.stream().mapToDouble(Double::doubleValue).filter(number -> !Double.isNaN(number))
                .sorted().toArray();
        int count = sorted.length;
        if (count == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN);
        }
        // How many are cut off at each end. The half more corrects for ranks being whole numbers.
        int cut = (int) Math.max(0, Math.floor((count - 1) / 2.0 - DEVIATION * Math.sqrt(count)));
        return new Spread((sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted[cut], sorted[count - 1 - cut]);
    }

    /** {@return -1 if these ratios are below 1 beyond noise, 1 if they are above it, 0 if the interval includes 1} */
    public int difference() {
        return high < 1 ? -1 : low > 1 ? 1 : 0;
    }

    /** {@return in words what ratios of work say, where above 1 is more work; nothing is claimed that may be noise} */
    public String verdict() {
        if (Double.isNaN(median)) {
            return "not measured";
        } else if (difference() != 0) {
            String word = difference() > 0 ? "more" : "less";
            return high / low > VERY_WIDE ? word + "; too busy to tell how much"
                    : word + " by " + (difference() > 0 ? range(low, high) : range(high, low));
        }
        return high / low <= WIDE ? "no difference beyond noise"
                : String.format(Locale.ROOT, "too busy to tell (%+.0f to %+.0f %%)", percent(low), percent(high));
    }

    /** The one nearer to 1 first. */
    private static String range(double from, double to) {
        long least = Math.round(Math.abs(percent(from)));
        return (least == 0 ? "up to " : least + " to ") + Math.round(Math.abs(percent(to))) + " %";
    }

    private static double percent(double ratio) {
        return 100 * (ratio - 1);
    }

    /** {@return median and interval, with that many decimals; "-" if nothing was measured} */
    public String text(int decimals) {
        String number = "%." + decimals + "f";
        return Double.isNaN(median) ? "-"
                : String.format(Locale.ROOT, number + " [" + number + ".." + number + "]", median, low, high);
    }
}
