// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long the thread of a wait lacks a processor. */
class FirstWaitTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(20);
    private static final long SOME = TimeUnit.MILLISECONDS.toNanos(50);

    private volatile boolean isOver;

    @Test
    @Tag("load")
    void growsWhileThereAreMoreThreadsThanProcessors() throws InterruptedException {
        assumeTrue(Files.exists(Path.of("/proc/thread-self/schedstat")), "not told here");
        Thread[] others = new Thread[2 * Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(this::spin, "spinning");
            others[i].start();
        }
        FirstWait wait = new FirstWait();
        long before = wait.times(Thread.currentThread()).lacked();
        long deadline = System.nanoTime() + LONG;
        while (wait.times(Thread.currentThread()).lacked() - before < SOME) {
            assertTrue(System.nanoTime() < deadline, "it has not grown");
        }
        isOver = true;
        for (Thread each : others) {
            each.join();
        }
    }

    private void spin() {
        while (!isOver) {
            Thread.onSpinWait();
        }
    }

    @Test
    void isOfTheThreadThatHasMadeItAlone() {
        assertNull(new FirstWait().times(new Thread("another")));
    }
}
