// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import static dev.pollux.internal.insight.RecentLongest.MINUTE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentLongestTest {
    private static final long START = Long.MAX_VALUE - MINUTE; // nanoTime may overflow

    private final RecentLongest longest = new RecentLongest(START);

    @Test
    void thereIsNoneAtFirst() {
        assertEquals(0, longest.at(START));
        assertEquals(0, longest.at(START + 10 * MINUTE));
    }

    @Test
    void aLongOneIsSeenForAMinuteAtLeastAndForTwoAtMost() {
        for (long end = 1; end < 5 * MINUTE; end += MINUTE / 7) {
            RecentLongest each = new RecentLongest(START);
            each.add(100, START + end);
            assertEquals(100, each.at(START + end));
            assertEquals(100, each.at(START + end + MINUTE - 1));
            assertEquals(0, each.at(START + end + 2 * MINUTE));
        }
    }

    @Test
    void shorterOnesThatFollowDoNotHideIt() {
        longest.add(100, START + MINUTE - 1);
        longest.add(7, START + MINUTE + 1);
        assertEquals(100, longest.at(START + MINUTE + 1));
        longest.add(5, START + 2 * MINUTE - 1);
        assertEquals(100, longest.at(START + 2 * MINUTE - 1));
        longest.add(3, START + 2 * MINUTE);
        assertEquals(7, longest.at(START + 2 * MINUTE));
        longest.add(1, START + 9 * MINUTE);
        assertEquals(1, longest.at(START + 9 * MINUTE));
    }

    @Test
    void itIsTheMaximumOfTwoMinutes() {
        Random random = new Random(5);
        long[] minutes = new long[20];
        for (int minute = 0; minute < minutes.length; minute++) {
            for (int i = 0; i < 10; i++) {
                long now = START + minute * MINUTE + i;
                long nanos = random.nextInt(1000);
                longest.add(nanos, now);
                minutes[minute] = Math.max(minutes[minute], nanos);
                assertEquals(Math.max(minutes[minute], minute == 0 ? 0 : minutes[minute - 1]), longest.at(now));
            }
        }
    }
}
