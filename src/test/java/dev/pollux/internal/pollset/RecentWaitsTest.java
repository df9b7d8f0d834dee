// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many waited lately. The count is that of the virtual machine, in which no other test runs now. */
class RecentWaitsTest {
    private static final int PERIODS_MILLIS = 100;

    @Test
    void eachIsCountedOnceInAPeriod() throws InterruptedException {
        Thread.sleep(PERIODS_MILLIS);
        RecentWaits[] waits = IntStream.range(0, 20).mapToObj(i -> new RecentWaits()).toArray(RecentWaits[]::new);
        int most = 0;
        for (int i = 0; i < 10_000; i++) {
            for (RecentWaits each : waits) {
                most = Math.max(most, each.join());
            }
        }
        assertEquals(waits.length, most);
    }

    @Test
    void thoseThatWaitedBeforeAreForgotten() throws InterruptedException {
        IntStream.range(0, 20).forEach(i -> new RecentWaits().join());
        Thread.sleep(PERIODS_MILLIS);
        assertEquals(1, new RecentWaits().join());
    }

    @Test
    void thePeriodBeforeCountsStill() throws InterruptedException {
        RecentWaits one = new RecentWaits();
        IntStream.range(0, 20).forEach(i -> new RecentWaits().join());
        int least = Integer.MAX_VALUE;
        for (long end = System.nanoTime() + 10_000_000; System.nanoTime() < end;) {
            least = Math.min(least, one.join());
        }
        assertTrue(least >= 10, "of 20 that waited in the last 10 ms " + least + " are counted");
    }
}
