// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.pollux.lab.Io;
import java.lang.management.ManagementFactory;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;

/** Selections make no garbage once they are compiled: less than one byte each on average. */
class GarbageTest {

    private static final int READY = 8;
    private static final int ROUNDS = 20_000;

    /** A try takes no longer than that: a selection takes a millisecond on an emulated system. */
    private static final long TRY_SECONDS = 1;

    private static final long PATIENCE_SECONDS = 30;

    @EachProvider
    @Tag("beyond-jdk")
    void selectingIteratingAndRemovingMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        assertNoGarbage(() -> {
            assertEquals(READY, selector.select());
            Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
            while (iterator.hasNext()) {
                iterator.next();
                iterator.remove();
            }
        });
    }

    @EachProvider
    @Tag("beyond-jdk")
    void selectingAndClearingMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        assertNoGarbage(() -> {
            assertEquals(READY, selector.select());
            selector.selectedKeys().clear();
        });
    }

    @EachProvider
    void selectNowWithKeysThatStaySelectedMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        selector.select();
        assertNoGarbage(() -> assertEquals(0, selector.selectNow()));
    }

    @EachProvider
    void selectingWithAnActionMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        Consumer<SelectionKey> action = key -> assertEquals(OP_WRITE, key.readyOps());
        assertNoGarbage(() -> assertEquals(READY, selector.select(action)));
    }

    @EachProvider
    void selectNowWithNothingReadyMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_READ);
        assertNoGarbage(selector::selectNow);
    }

    @EachProvider
    void wakingUpAndSelectingMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertNoGarbage(() -> selector.wakeup().select());
    }

    @EachProvider
    @Tag("beyond-jdk")
    void togglingInterestMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        assertNoGarbage(() -> {
            key.interestOps(OP_READ | OP_WRITE);
            selector.selectNow();
            key.interestOps(OP_READ);
            selector.selectNow();
            selector.selectedKeys().clear();
        });
    }

    /** The interpreter allocates what compiled code does not, and the compiler may be busy: only the last try must be clean. */
    private static void assertNoGarbage(Io.Step step) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        double least;
        do {
            least = bytesPerSelection(step);
        } while (least >= 1 && System.nanoTime() < deadline);
        assertTrue(least < 1, "bytes per selection: " + least);
    }

    private static double bytesPerSelection(Io.Step step) throws Exception {
        ThreadMXBean meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = meter.getThreadAllocatedBytes(Thread.currentThread().getId());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TRY_SECONDS);
        int rounds = 0;
        while (rounds < ROUNDS && System.nanoTime() < end) {
            step.run();
            rounds++;
        }
        return (double) (meter.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / rounds;
    }

    private static Selector writable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < READY; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        return selector;
    }
}
