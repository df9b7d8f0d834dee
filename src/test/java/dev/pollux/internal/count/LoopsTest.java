// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.lab.Job;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class LoopsTest {
    private final EPollSelectorProvider provider = new EPollSelectorProvider();
    private final List<Loop> before = Loops.open();

    private List<Loop> opened() {
        List<Loop> opened = new ArrayList<>(Loops.open());
        opened.removeAll(before);
        return opened;
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "waited in vain");
            Thread.sleep(1);
        }
    }

    @Test
    void allThatAreOpenAreThereInTheirOrder() throws Exception {
        try (Selector selector = provider.openSelector();
                Poller poller = new Poller()) {
            List<Loop> open = opened();
            assertEquals(List.of("selector", "Poller"), open.stream().map(Loop::kind).toList());
            assertEquals("epoll", open.get(0).mechanism());
            assertEquals(poller.mechanism(), open.get(1).mechanism());
            assertTrue(selector.isOpen());
        }
        assertEquals(List.of(), opened());
    }

    @Test
    void aLoopThatNobodyHasAnyMoreIsNotKept() throws Exception {
        WeakReference<Selector> forgotten = new WeakReference<>(provider.openSelector());
        assertEquals(1, opened().size());
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20); forgotten.get() != null;) {
            assertTrue(System.nanoTime() < end, "it is kept");
            System.gc();
            Thread.sleep(1);
        }
    }

    @Test
    void aLoopTellsWhatItDoes() throws Exception {
        Loop closing;
        try (Selector selector = provider.openSelector()) {
            Pipe pipe = provider.openPipe();
            pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
            Loop loop = opened().get(0);
            closing = loop;
            assertEquals(1, loop.size());
            assertFalse(loop.statistics().isWaiting());
            try (Job<Integer> selecting = new Job<>(selector::select)) {
                until(() -> loop.statistics().isWaiting());
                assertFalse(loop.isReadable());
                assertEquals(0, loop.statistics().busyNanos());
                pipe.sink().write(ByteBuffer.allocate(1));
                assertEquals(1, selecting.result());
            }
            assertFalse(loop.statistics().isWaiting());
            assertTrue(loop.isReadable());
            assertTrue(loop.statistics().thread() != null);
            assertTrue(loop.statistics().busyNanos() > 0);
            assertTrue(loop.statistics().count(Counter.BLOCKED_NANOS) > 0);
            assertTrue(loop.statistics().count(Counter.BLOCKED_NANOS) < loop.statistics().elapsedNanos());
            pipe.source().read(ByteBuffer.allocate(1));
            assertFalse(loop.isReadable());
            pipe.source().close();
            pipe.sink().close();
        }
        assertEquals(0, closing.size());
        assertFalse(closing.isReadable());
    }
}
