// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
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
    private static final long PATIENCE_SECONDS = 40;

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
        ThreadMXBean meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (least >= ROUNDS && System.nanoTime() < deadline) {
            long before = meter.getThreadAllocatedBytes(Thread.currentThread().getId());
            repeat(step);
            long after = meter.getThreadAllocatedBytes(Thread.currentThread().getId());
            least = Math.min(least, after - before);
        }
        assertEquals(0, least / ROUNDS, "bytes per selection, " + least + " in all");
    }

    private static void repeat(Io.Step step) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            step.run();
        }
    }

    private static Selector writable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < READY; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        return selector;
    }
}
