// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What is said of ratios. */
class SpreadTest {
    @Test
    void anIntervalThatIncludesOneIsNoGain() {
        assertEquals("nothing", new Spread(1.05, 0.99, 1.1).gain());
        assertEquals("nothing", new Spread(1, 1, 1).gain());
        assertEquals("nothing", new Spread(1.05, 1, 1.1).gain());
        assertEquals("nothing", new Spread(0.9, 0.8, 1).gain());
    }

    @Test
    void aGainAndALossHaveTheirIntervals() {
        assertEquals("22 % [11..29]", new Spread(1.22, 1.11, 1.29).gain());
        assertEquals("nothing, but loses: -10 % [-20..-5]", new Spread(0.9, 0.8, 0.95).gain());
    }
}
