// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.verdict.WatchThread;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What loops find is told by a thread of Pollux's own. */
public final class Telling {
    private Telling() {
    }

    /** Waits until all is told that has been found so far. */
    public static void await() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        WatchThread.submit(told::countDown);
        assertTrue(told.await(60, TimeUnit.SECONDS));
    }
}
