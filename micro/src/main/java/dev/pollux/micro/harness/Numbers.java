// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.util.ArrayList;
import java.util.List;

/** Arithmetic on a few numbers, one per round. What could not be measured (NaN) is left out. Stateless. */
public final class Numbers {
    private Numbers() {
    }

    /** The number in the middle, or the mean of the two; NaN if there is none. */
    public static double median(List<Double> numbers) {
        double[] sorted = sorted(numbers);
        int last = sorted.length - 1;
        return last < 0 ? Double.NaN : (sorted[last / 2] + sorted[(last + 1) / 2]) / 2;
    }

    /** The smallest; NaN if there is none. */
    public static double min(List<Double> numbers) {
        double[] sorted = sorted(numbers);
        return sorted.length == 0 ? Double.NaN : sorted[0];
    }

    /** The greatest; NaN if there is none. */
    public static double max(List<Double> numbers) {
        double[] sorted = sorted(numbers);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }

    /** Divides round by round: what disturbed one round disturbed both sides of it. */
    public static List<Double> ratios(List<Double> above, List<Double> below) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(above.size(), below.size()); i++) {
            ratios.add(above.get(i) / below.get(i));
        }
        return ratios;
    }

    static double[] sorted(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).filter(number -> !Double.isNaN(number)).sorted()
                .toArray();
    }
}
