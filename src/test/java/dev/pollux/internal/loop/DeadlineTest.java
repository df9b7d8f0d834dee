// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is left of a timeout. */
class DeadlineTest {
    private static final long NOW = 1_000_000;

    @Test
    void whatIsLeftIsTheTimeUntilTheDeadline() {
        assertEquals(500, Deadline.left(800, NOW + 500, NOW));
    }

    @Test
    void aTimeoutThatIsOverHasNothingLeft() {
        assertEquals(0, Deadline.left(800, NOW, NOW));
        assertEquals(0, Deadline.left(800, NOW - 1, NOW));
    }

    @Test
    void aNegativeTimeoutNeverEnds() {
        assertEquals(-1, Deadline.left(-1, 0, NOW));
        assertEquals(-1, Deadline.left(-1, Deadline.after(-1)));
    }

    @Test
    void noTimeoutIsOverAtOnce() {
        assertEquals(0, Deadline.left(0, 0, NOW));
        assertEquals(0, Deadline.left(0, Deadline.after(0)));
    }

    @Test
    void aClockThatOverflowsIsRight() {
        long deadline = Long.MIN_VALUE + 489; // 500 after Long.MAX_VALUE - 10: it overflows
        assertEquals(500, Deadline.left(800, deadline, Long.MAX_VALUE - 10));
        assertEquals(489, Deadline.left(800, deadline, Long.MIN_VALUE));
    }

    @Test
    void theLongestTimeoutLastsForCenturies() {
        long left = Deadline.left(Long.MAX_VALUE, Deadline.after(Long.MAX_VALUE));
        assertTrue(left > Long.MAX_VALUE / 2, "left: " + left);
    }
}
