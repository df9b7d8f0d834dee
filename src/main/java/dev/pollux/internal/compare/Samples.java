// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Numbers, one of each round: their median, and how sure it is. Used by one thread. */
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

    /** Its upper end. */
    double high() {
        return sorted.get(sorted.size() - 1 - rank());
    }

    private int rank() {
        return (int) Math.max(0, Math.floor(sorted.size() / 2.0 - DEVIATION * Math.sqrt(sorted.size())));
    }

    /**
     * By what factor its interval reaches from 1: of the ratios of two of a kind, this is the machine's noise. It is a
     * factor, since a ratio of 0.5 is as far from 1 as one of 2.
     */
    double farthestFromOne() {
        return Math.max(1 / low(), high());
    }
}
