// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import static dev.pollux.internal.count.BusyTimes.MINUTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class BusyTimesTest {
    private static final long START = Long.MAX_VALUE - MINUTE; // nanoTime may overflow

    private final BusyTimes longest = new BusyTimes(START);

    @Test
    void thereIsNoneAtFirst() {
        assertEquals(0, longest.longest(START));
        assertEquals(0, longest.longest(START + 10 * MINUTE));
    }

    @Test
    void aLongOneIsSeenForAMinuteAtLeastAndForTwoAtMost() {
        for (long end = 1; end < 5 * MINUTE; end += MINUTE / 7) {
            BusyTimes each = new BusyTimes(START);
            each.add(100, START + end);
            assertEquals(100, each.longest(START + end));
            assertEquals(100, each.longest(START + end + MINUTE - 1));
            assertEquals(0, each.longest(START + end + 2 * MINUTE));
        }
    }

    @Test
    void shorterOnesThatFollowDoNotHideIt() {
        longest.add(100, START + MINUTE - 1);
        longest.add(7, START + MINUTE + 1);
        assertEquals(100, longest.longest(START + MINUTE + 1));
        longest.add(5, START + 2 * MINUTE - 1);
        assertEquals(100, longest.longest(START + 2 * MINUTE - 1));
        longest.add(3, START + 2 * MINUTE);
        assertEquals(7, longest.longest(START + 2 * MINUTE));
        longest.add(1, START + 9 * MINUTE);
        assertEquals(1, longest.longest(START + 9 * MINUTE));
    }

    @Test
    void eachIsCountedUpToTheBoundsThatItKeeps() {
        assertArrayEquals(new long[6], longest.histogram());
        for (long micros : new long[] {0, 1000, 1001, 99_999, 100_000, 2_000_000, 1_000_000_000}) {
            longest.add(micros * 1000, START);
        }
        assertArrayEquals(new long[] {2, 3, 5, 5, 6, 7}, longest.histogram());
        longest.add(10_000_000_000L, START + 9 * MINUTE);
        assertArrayEquals(new long[] {2, 3, 5, 5, 7, 8}, longest.histogram(), "they count since the loop was opened");
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
                assertEquals(Math.max(minutes[minute], minute == 0 ? 0 : minutes[minute - 1]), longest.longest(now));
            }
        }
    }
}
