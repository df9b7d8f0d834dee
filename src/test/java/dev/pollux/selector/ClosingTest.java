// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Job;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code Selector.close}. */
class ClosingTest {

    @EachProvider
    void closingInvalidatesEveryKeyAndDeregistersItsChannel(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ);
        selector.selectNow();
        selector.close();
        assertFalse(selector.isOpen());
        assertFalse(key.isValid());
        assertFalse(channel.isRegistered());
        assertNull(channel.keyFor(selector));
        assertTrue(channel.isOpen());
    }

    @EachProvider
    void aClosedSelectorHasNoSets(Lab lab) throws Exception {
        Selector selector = lab.selector();
        selector.close();
        assertThrows(ClosedSelectorException.class, selector::keys);
        assertThrows(ClosedSelectorException.class, selector::selectedKeys);
    }

    @EachProvider
    void aClosedSelectorReturnsItselfFromWakeupAndKnowsItsProvider(Lab lab) throws Exception {
        Selector selector = lab.selector();
        selector.close();
        assertSame(selector, selector.wakeup());
        assertSame(lab.provider(), selector.provider());
    }

    @EachProvider
    void theKeysOfAClosedSelectorAreCancelled(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        selector.close();
        assertThrows(CancelledKeyException.class, key::interestOps);
        assertThrows(CancelledKeyException.class, () -> key.interestOps(OP_WRITE));
        key.cancel();
        assertSame(selector, key.selector());
    }

    /** The JDK asks for the valid operations when it has found the key valid, and before it tells the selector. */
    @EachProvider
    void interestOpsDoesNotThrowIfTheSelectorIsClosedMeanwhile(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicBoolean closes = new AtomicBoolean();
        try (TrippingChannel channel = new TrippingChannel(lab.pipe().source()) {
            @Override
            public int validOps() {
                if (closes.get()) {
                    assertDoesNotThrow(selector::close);
                }
                return super.validOps();
            }
        }) {
            SelectionKey key = channel.register(selector, 0);
            closes.set(true);
            assertSame(key, key.interestOps(OP_READ));
            assertFalse(key.isValid());
            assertFalse(channel.isRegistered());
        }
    }

    /** The specification lets the selection return or throw. */
    private static void assertEndedOrClosed(Job<Integer> job) throws Exception {
        try {
            assertEquals(0, job.result());
        } catch (ExecutionException e) {
            assertInstanceOf(ClosedSelectorException.class, e.getCause());
        }
    }

    @EachProvider
    void closingReturnsOnlyWhenTheKeysAreDeregistered(Lab lab) throws Exception {
        for (int i = 0; i < 200; i++) {
            Selector selector = lab.provider().openSelector();
            SocketChannel channel = lab.tcp().near();
            channel.register(selector, OP_READ);
            Job<Integer> job = lab.start(selector::select);
            if (i % 2 == 0) {
                job.awaitSelecting();
            }
            selector.close();
            assertFalse(channel.isRegistered());
            assertEndedOrClosed(job);
        }
    }

    @EachProvider
    void closingFreesTheDescriptorOfAChannelThatWasClosedBefore(Lab lab) throws Exception {
        int before = Descriptors.count();
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        selector.selectNow();
        connection.near().close();
        connection.far().close();
        selector.close();
        assertEquals(before, Descriptors.count());
    }

    @EachProvider
    void aSetObtainedBeforeTheCloseIsEmptyAfterIt(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        Set<SelectionKey> keys = selector.keys();
        Set<SelectionKey> selected = selector.selectedKeys();
        selector.close();
        assertEquals(0, keys.size());
        assertEquals(0, selected.size());
    }
}
