// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Actions of a selection that do something to their selector. Keys that an action cancels may leave the key set at the
 * end of that selection or, as in the JDK, at the next one.
 */
class ConsumerActionTest {

    @EachProvider
    void anExceptionOfTheActionReachesTheCaller(Lab lab) throws Exception {
        Selector selector = writable(lab, 1);
        RuntimeException thrown = new RuntimeException("by the action");
        assertSame(thrown, assertThrows(RuntimeException.class, () -> selector.select(key -> {
            throw thrown;
        })));
        Error error = new Error("by the action");
        assertSame(error, assertThrows(Error.class, () -> selector.selectNow(key -> {
            throw error;
        })));
    }

    @EachProvider
    void anExceptionDropsTheRestOfTheBatchWhichComesAgain(Lab lab) throws Exception {
        Selector selector = writable(lab, 20);
        List<SelectionKey> delivered = new ArrayList<>();
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> {
            delivered.add(key);
            if (delivered.size() == 5) {
                throw new IllegalArgumentException("enough");
            }
        }));
        assertEquals(5, delivered.size());
        Set<SelectionKey> again = new HashSet<>();
        assertEquals(20, selector.select(again::add));
        assertEquals(selector.keys(), again);
    }

    @EachProvider
    void aSelectorIsUsableAfterAnException(Lab lab) throws Exception {
        Selector selector = writable(lab, 3);
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> {
            throw new IllegalArgumentException("once");
        }));
        selector.keys().forEach(key -> key.interestOps(0));
        long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(100)));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(100));
        selector.keys().forEach(SelectionKey::cancel);
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void anActionThatClosesTheSelectorEndsTheSelectionWithAnException(Lab lab) throws Exception {
        Selector selector = writable(lab, 10);
        List<SelectionKey> delivered = new ArrayList<>();
        assertThrows(ClosedSelectorException.class, () -> selector.select(key -> {
            delivered.add(key);
            close(selector);
        }));
        assertEquals(1, delivered.size());
        assertFalse(selector.isOpen());
        assertFalse(delivered.get(0).isValid());
    }

    @EachProvider
    void aReentrantSelectionIsRefused(Lab lab) throws Exception {
        Selector selector = writable(lab, 1);
        int[] refused = new int[1];
        assertEquals(1, selector.select(key -> {
            assertThrows(IllegalStateException.class, selector::select);
            assertThrows(IllegalStateException.class, selector::selectNow);
            assertThrows(IllegalStateException.class, () -> selector.select(1));
            assertThrows(IllegalStateException.class, () -> selector.select(k -> { }));
            refused[0]++;
        }));
        assertEquals(1, refused[0]);
        assertEquals(1, selector.selectNow(key -> { }));
    }

    @EachProvider
    void anActionMaySelectOnAnotherSelector(Lab lab) throws Exception {
        Selector selector = writable(lab, 1);
        Selector other = writable(lab, 2);
        int[] found = new int[1];
        assertEquals(1, selector.select(key -> {
            try {
                found[0] = other.select(k -> { });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
        assertEquals(2, found[0]);
    }

    @EachProvider
    void anActionMayCancelItsKey(Lab lab) throws Exception {
        Selector selector = writable(lab, 5);
        assertEquals(5, selector.select(SelectionKey::cancel));
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void anActionMayCancelAllKeys(Lab lab) throws Exception {
        Selector selector = writable(lab, 5);
        List<SelectionKey> delivered = new ArrayList<>();
        selector.select(key -> {
            delivered.add(key);
            selector.keys().forEach(SelectionKey::cancel);
        });
        assertTrue(delivered.size() >= 1 && delivered.size() <= 5);
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void anActionMayCloseItsChannel(Lab lab) throws Exception {
        Selector selector = writable(lab, 5);
        int before = Descriptors.count();
        assertEquals(5, selector.select(key -> close(key.channel())));
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
        assertEquals(before - 5, Descriptors.count());
    }

    @EachProvider
    void anActionMayRegisterAChannelForTheNextSelection(Lab lab) throws Exception {
        Selector selector = writable(lab, 1);
        DatagramChannel added = lab.datagram();
        assertEquals(1, selector.select(key -> register(added, selector)));
        assertEquals(2, selector.keys().size());
        assertEquals(2, selector.select(key -> { }));
    }

    @EachProvider
    void anActionMayChangeInterestForTheNextSelection(Lab lab) throws Exception {
        Selector selector = writable(lab, 3);
        assertEquals(3, selector.select(key -> key.interestOpsAnd(~OP_WRITE)));
        assertEquals(0, selector.selectNow(key -> { }));
        selector.keys().forEach(key -> key.interestOpsOr(OP_WRITE));
        assertEquals(3, selector.select(key -> { }));
    }

    @EachProvider
    void anActionRunsInTheSelectingThreadWithTheLocksHeld(Lab lab) throws Exception {
        Selector selector = writable(lab, 1);
        Thread self = Thread.currentThread();
        assertEquals(1, selector.select(key -> {
            assertSame(self, Thread.currentThread());
            assertTrue(Thread.holdsLock(selector));
            assertTrue(Thread.holdsLock(selector.selectedKeys()));
        }));
    }

    @EachProvider
    void anActionThatReadsEverythingLetsTheNextSelectionWait(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select(key -> {
            try {
                Io.drain(pipe.source());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
        assertEquals(0, selector.select(key -> { }, 50));
    }

    private static Selector writable(Lab lab, int count) throws IOException {
        Selector selector = lab.selector();
        for (int i = 0; i < count; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        return selector;
    }

    private static void register(DatagramChannel channel, Selector selector) {
        try {
            channel.register(selector, OP_WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void close(java.io.Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
