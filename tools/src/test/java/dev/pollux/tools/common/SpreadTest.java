// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is made of the numbers of some rounds, and what is said of ratios. */
class SpreadTest {
    @Test
    void theMedianIsInTheMiddle() {
        assertEquals(2, of(3, 1, 2).median());
        assertEquals(2.5, of(4, 1, 2, 3).median());
    }

    /** Of 16 numbers, the 4th and the 13th: each end is beyond the median with a probability of 0.0106. */
    @Test
    void theIntervalIsThatOfOrderStatistics() {
        Spread spread = of(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
        assertEquals(4, spread.low());
        assertEquals(13, spread.high());
    }

    @Test
    void fewNumbersHaveAnIntervalFromTheLeastToTheMost() {
        assertEquals(new Spread(2, 1, 3), of(2, 1, 3));
        assertEquals(new Spread(7, 7, 7), of(7));
    }

    @Test
    void whatWasNotMeasuredIsLeftOut() {
        assertEquals(new Spread(2, 1, 3), of(2, Double.NaN, 1, 3));
        assertEquals("-", of(Double.NaN).text(2));
        assertEquals("not measured", of().verdict());
    }

    /** Whatever the number of rounds, the interval misses the true median in at most 5 of 100 cases. */
    @Test
    void theIntervalHoldsTheTrueMedian() {
        Random random = new Random(1);
        for (int rounds : new int[]{6, 9, 10, 12, 15, 17, 44, 90}) {
            int missed = 0;
            for (int i = 0; i < 4000; i++) {
                Spread spread = Spread.of(Stream.generate(random::nextGaussian).limit(rounds).toList());
                missed += spread.low() > 0 || spread.high() < 0 ? 1 : 0;
            }
            assertTrue(missed <= 0.06 * 4000, rounds + " rounds: " + missed); // 5 %, and chance
        }
    }

    @Test
    void aGainAndALossAreToldWithTheirIntervals() {
        assertEquals("more by 12 to 18 %", new Spread(1.15, 1.12, 1.18).verdict());
        assertEquals("less by 5 to 20 %", new Spread(0.9, 0.8, 0.95).verdict());
        assertEquals("more by up to 13 %", new Spread(1.05, 1.001, 1.13).verdict());
        assertEquals(1, new Spread(1.15, 1.12, 1.18).difference());
        assertEquals(-1, new Spread(0.9, 0.8, 0.95).difference());
    }

    @Test
    void anIntervalThatIncludesOneIsNoDifference() {
        for (Spread spread : List.of(new Spread(1.05, 0.99, 1.1), new Spread(1, 1, 1), new Spread(1.05, 1, 1.1),
                new Spread(0.9, 0.85, 1))) {
            assertEquals("no difference beyond noise", spread.verdict());
            assertEquals(0, spread.difference());
        }
    }

    /** Else a busy machine would be taken for one on which there is nothing to gain. */
    @Test
    void aWideIntervalIsNoVerdict() {
        assertEquals("too busy to tell (-20 to +35 %)", new Spread(1.05, 0.8, 1.35).verdict());
        assertEquals(0, new Spread(1.05, 0.8, 1.35).difference());
        assertEquals("more; too busy to tell how much", new Spread(1.8, 1.36, 3.77).verdict());
        assertEquals("less; too busy to tell how much", new Spread(0.5, 0.3, 0.9).verdict());
    }

    /** What takes 0.79 of the time is told, although the rounds scatter. */
    @Test
    void aDifferenceIsToldAsSoonAsThereIsOne() {
        assertEquals("more by 9 to 39 %", new Spread(1 / 0.79, 1 / 0.92, 1 / 0.72).verdict());
    }

    private static Spread of(double... numbers) {
        return Spread.of(DoubleStream.of(numbers).boxed().toList());
    }
}
