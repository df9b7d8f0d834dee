// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Arithmetic on a few numbers, one per round. Stateless. */
final class Figures {
    private Figures() {
    }

    static double median(List<Double> numbers) {
        if (numbers.isEmpty()) {
            return Double.NaN;
        }
        double[] sorted = numbers.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Divides round by round: what disturbed one round disturbed both sides of it. */
    static List<Double> ratios(List<Double> above, List<Double> below) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(above.size(), below.size()); i++) {
            ratios.add(above.get(i) / below.get(i));
        }
        return ratios;
    }
}
