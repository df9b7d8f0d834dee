// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** {@code SelectionKey.cancel} and the selection that carries it out. */
class CancellationTest {

    @EachProvider
    void aCancelledKeyIsInvalidAtOnceAndStaysInTheKeySetUntilTheNextSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ);
        key.cancel();
        assertFalse(key.isValid());
        assertTrue(channel.isRegistered());
        assertEquals(Set.of(key), selector.keys());
        selector.selectNow();
        assertFalse(channel.isRegistered());
        assertNull(channel.keyFor(selector));
        assertEquals(Set.of(), selector.keys());
    }

    @EachProvider
    void cancellingTwiceIsTheSameAsOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        key.cancel();
        key.cancel();
        assertEquals(0, selector.selectNow());
        key.cancel();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aKeyCancelledBeforeASelectionIsNotDelivered(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        key.cancel();
        assertEquals(0, selector.selectNow());
        assertEquals(Set.of(), selector.selectedKeys());
    }

    @EachProvider
    void aSelectedKeyThatIsCancelledLeavesTheSelectedKeySetAtTheNextSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select());
        key.cancel();
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(0, selector.selectNow());
        assertEquals(Set.of(), selector.selectedKeys());
    }

    @EachProvider
    void aKeyCancelledDuringASelectionIsDeregisteredByIt(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        key.cancel();
        selector.wakeup();
        assertEquals(0, job.result());
        assertFalse(channel.isRegistered());
        assertEquals(Set.of(), selector.keys());
    }

    @EachProvider
    void cancellingDuringASelectionDoesNotEndIt(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        Job<Long> job = lab.start(() -> Io.nanosOf(() -> selector.select(300)));
        job.awaitSelecting();
        key.cancel();
        assertTrue(job.result() >= TimeUnit.MILLISECONDS.toNanos(300));
    }

    @EachProvider
    void aKeyWhoseInterestChangedBeforeItWasCancelledIsGone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ);
        selector.selectNow();
        key.interestOps(OP_READ | OP_WRITE);
        key.cancel();
        assertEquals(0, selector.selectNow());
        channel.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aKeyThatNeverReachedTheKernelCanBeCancelled(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        channel.register(selector, OP_WRITE).cancel();
        assertEquals(0, selector.selectNow());
        channel.register(selector, 0).cancel();
        assertEquals(0, selector.selectNow());
        assertFalse(channel.isRegistered());
    }

    @EachProvider
    void thousandsOfCancelledKeysGoInOneSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 2000; i++) {
            lab.datagram().register(selector, OP_READ);
        }
        assertEquals(0, selector.selectNow());
        selector.keys().forEach(SelectionKey::cancel);
        assertEquals(2000, selector.keys().size());
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void aChannelCanBeRegisteredAndCancelledOverAndOver(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        Io.feed(pipe);
        for (int i = 0; i < 2000; i++) {
            SelectionKey key = pipe.source().register(selector, OP_READ);
            assertEquals(1, selector.selectNow());
            key.cancel();
            assertEquals(0, selector.selectNow());
        }
    }
}
