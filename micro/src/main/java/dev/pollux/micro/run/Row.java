// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.harness.Numbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The samples of one case and one pair, a list per side, an element per round; in some rows the
 * side under test has an option of its own. Not thread-safe.
 */
final class Row {
    /** The sides of a comparison, in the order of the first round. */
    enum Side { LIBC, BASE, OTHER, RAW }

    final Case what;
    final Pair pair;

    /** An option for the virtual machine of {@link Side#OTHER}, or an empty string. */
    final String option;

    private final Map<Side, List<Sample>> samples = new LinkedHashMap<>();

    Row(Case what, Pair pair, String option) {
        this.what = what;
        this.pair = pair;
        this.option = option;
        for (Side side : Side.values()) {
            samples.put(side, new ArrayList<>());
        }
    }

    void add(Side side, Sample sample) {
        samples.get(side).add(sample);
    }

    /** The names of what was measured: elapsed and processor time, or percentiles. */
    List<String> figures() {
        return samples.get(Side.BASE).get(0).nanos().keySet().stream().sorted().toList();
    }

    List<Double> nanos(Side side, String figure) {
        return samples.get(side).stream().map(sample -> sample.nanos().getOrDefault(figure, Double.NaN)).toList();
    }

    List<Double> bytes(Side side) {
        return samples.get(side).stream().map(Sample::bytes).toList();
    }

    List<Double> allBytes(Side side) {
        return samples.get(side).stream().map(Sample::allBytes).toList();
    }

    /** One side over another, round by round. */
    List<Double> ratios(Side above, Side below, String figure) {
        return Numbers.ratios(nanos(above, figure), nanos(below, figure));
    }

    /** The figures that the table shows: elapsed or processor time, and all percentiles. */
    List<String> shown(boolean cpu) {
        return figures().stream().filter(figure -> !figure.equals(cpu ? "wall" : "cpu")).toList();
    }

    /** Name, value, figure and option, as in {@code WakeupRoundTrip p99}. */
    String label(String figure) {
        return what.label() + (figure.startsWith("p") ? " " + figure : "") + (option.isEmpty() ? "" : " " + option);
    }
}
