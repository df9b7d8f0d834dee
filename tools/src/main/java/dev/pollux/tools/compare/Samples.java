// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Numbers, one of each round, with their median and its confidence interval. Used by one thread. */
final class Samples {
    /** The median's rank has a standard deviation of half the root of the count, and 95 % are within 1.96 of these. */
    private static final double DEVIATION = 1.96 / 2;

    private final List<Double> sorted = new ArrayList<>();

    void add(double sample) {
        int at = Collections.binarySearch(sorted, sample);
        sorted.add(at < 0 ? -at - 1 : at, sample);
    }

    double median() {
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /** The lower end of the interval that has the true median in 95 of 100 cases, by order statistics. */
    double low() {
        return sorted.get(rank());
    }

    /** The upper end of that interval. */
    double high() {
        return sorted.get(sorted.size() - 1 - rank());
    }

    private int rank() {
        return (int) Math.max(0, Math.floor(sorted.size() / 2.0 - DEVIATION * Math.sqrt(sorted.size())));
    }

    /** By what factor the interval reaches from 1, where 0.5 is as far as 2. Of ratios of equals this is the noise. */
    double farthestFromOne() {
        return Math.max(1 / low(), high());
    }
}
