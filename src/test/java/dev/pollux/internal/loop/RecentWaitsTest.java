// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How many waited lately. The count is that of the virtual machine, in which no other test runs now. */
class RecentWaitsTest {
    private static final int COUNT = 20;

    /** Far enough from the last test's. */
    private static final AtomicLong PERIODS = new AtomicLong();

    private final long period = PERIODS.addAndGet(10);
    private final List<RecentWaits> waits = Stream.generate(RecentWaits::new).limit(COUNT).toList();

    @Test
    void eachIsCountedOnceInAPeriod() {
        waits.forEach(each -> each.join(period));
        waits.forEach(each -> assertEquals(COUNT, each.join(period)));
    }

    @Test
    void thePeriodBeforeCountsStill() {
        waits.forEach(each -> each.join(period));
        waits.forEach(each -> assertEquals(COUNT, each.join(period + 1)));
    }

    @Test
    void thoseThatWaitedBeforeAreForgotten() {
        waits.forEach(each -> each.join(period));
        assertEquals(1, waits.get(0).join(period + 2));
    }

    @Test
    void aPeriodHasOnlyThoseThatWaitedInIt() {
        waits.forEach(each -> each.join(period));
        waits.get(0).join(period + 1);
        assertEquals(1, waits.get(0).join(period + 2));
    }

    @Test
    void thePeriodIsThatOfTheClock() throws InterruptedException {
        waits.forEach(RecentWaits::join);
        Thread.sleep(100);
        assertEquals(1, new RecentWaits().join());
    }
}
