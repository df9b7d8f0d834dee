// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import dev.pollux.tools.common.Spread;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What one way showed, one sample for each round, in their order. Immutable.
 *
 * @param <S> what a sample is
 */
public record Series<S>(List<S> samples) {
    private List<Double> numbers(ToDoubleFunction<S> figure) {
        return samples.stream().map(sample -> figure.applyAsDouble(sample)).toList();
    }

    /** The median of a figure; NaN if it could not be measured. */
    public double median(ToDoubleFunction<S> figure) {
        return Spread.of(numbers(figure)).median();
    }

    /** The same with that many decimals; empty if it could not be measured. */
    public String median(ToDoubleFunction<S> figure, int decimals) {
        double median = median(figure);
        return Double.isNaN(median) ? "" : String.format(Locale.ROOT, "%." + decimals + "f", median);
    }

    /** Median and interval of a figure with that many decimals. */
    public String spread(ToDoubleFunction<S> figure, int decimals) {
        return Spread.of(numbers(figure)).text(decimals);
    }

    /** The ratios of the rounds to those of another way; NaN if one of the two was not measured. */
    public Spread ratio(Series<S> base, ToDoubleFunction<S> figure) {
        List<Double> above = numbers(figure);
        List<Double> below = base.numbers(figure);
        // Round by round: what disturbed one round disturbed both sides of it.
        return Spread.of(IntStream.range(0, Math.min(above.size(), below.size()))
                .mapToObj(round -> above.get(round) / below.get(round)).toList());
    }

    /** The same with that many decimals; "-" if one of the two was not measured. */
    public String ratio(Series<S> base, ToDoubleFunction<S> figure, int decimals) {
        return ratio(base, figure).text(decimals);
    }
}
