// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class IntervalLongestTest {
    @Test
    void eachFollowerHasTheLongestSinceItWasSetToZero() {
        BusyTimes longest = new BusyTimes(0);
        AtomicLong first = new AtomicLong();
        AtomicLong second = new AtomicLong();
        longest.follow(first);
        longest.add(5, 1);
        longest.follow(second);
        longest.add(3, 2);
        assertEquals(List.of(5L, 3L), List.of(first.getAndSet(0), second.get()));
        longest.add(4, 3);
        longest.unfollow(second);
        longest.add(7, 4);
        assertEquals(List.of(7L, 4L), List.of(first.get(), second.get()));
    }

    @Test
    void aLookHasTheStretchesThatEndedSinceTheLastOne() throws Exception {
        Selector selector = new EPollSelectorProvider().openSelector();
        try (IntervalLongest longest = new IntervalLongest(); IntervalLongest other = new IntervalLongest()) {
            long number = Loops.open().get(Loops.open().size() - 1).statistics().number();
            selector.select(1);
            longest.look();
            Thread.sleep(20);
            assertEquals(0, longest.look().get(number)); // it goes on
            selector.select(1);
            assertTrue(longest.look().get(number) >= TimeUnit.MILLISECONDS.toNanos(20));
            assertTrue(other.look().get(number) >= TimeUnit.MILLISECONDS.toNanos(20));
            assertEquals(0, longest.look().get(number));
            selector.close();
            assertNull(longest.look().get(number));
        } finally {
            selector.close();
        }
    }
}
