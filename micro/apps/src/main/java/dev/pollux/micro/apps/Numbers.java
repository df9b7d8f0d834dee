// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.util.List;

/** Sums up the rounds; what could not be measured (NaN) is left out. Stateless. */
final class Numbers {
    private Numbers() {
    }

    static double median(List<Double> values) {
        double[] sorted = known(values);
        int half = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    static double min(List<Double> values) {
        double[] sorted = known(values);
        return sorted.length == 0 ? Double.NaN : sorted[0];
    }

    static double max(List<Double> values) {
        double[] sorted = known(values);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }

    private static double[] known(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).filter(value -> !Double.isNaN(value)).sorted().toArray();
    }
}
