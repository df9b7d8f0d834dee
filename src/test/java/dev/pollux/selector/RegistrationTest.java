// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.ForeignChannel;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** {@code SelectableChannel.register} and what it promises about the key. */
class RegistrationTest {

    @EachProvider
    void aNewKeyIsValidAndKnowsItsChannelSelectorAndInterest(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ);
        assertTrue(key.isValid());
        assertSame(channel, key.channel());
        assertSame(selector, key.selector());
        assertEquals(OP_READ, key.interestOps());
        assertEquals(0, key.readyOps());
        assertNull(key.attachment());
    }

    @EachProvider
    void theKeyIsInTheKeySetAndFoundFromTheChannel(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        assertFalse(channel.isRegistered());
        assertNull(channel.keyFor(selector));
        SelectionKey key = channel.register(selector, OP_READ);
        assertTrue(channel.isRegistered());
        assertSame(key, channel.keyFor(selector));
        assertEquals(Set.of(key), selector.keys());
    }

    @EachProvider
    void registeringAgainReturnsTheSameKeyWithNewInterestAndAttachment(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ, "first");
        assertSame(key, channel.register(selector, OP_WRITE, "second"));
        assertEquals(OP_WRITE, key.interestOps());
        assertEquals("second", key.attachment());
        assertSame(key, channel.register(selector, OP_READ));
        assertNull(key.attachment());
        assertEquals(1, selector.keys().size());
    }

    @EachProvider
    void registeringAgainTakesEffectInTheKernel(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        channel.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        SelectionKey key = channel.register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @EachProvider
    void operationsThatTheChannelDoesNotHaveAreRefused(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel socket = lab.tcp().near();
        ServerSocketChannel listener = lab.listener();
        Pipe pipe = lab.pipe();
        assertThrows(IllegalArgumentException.class, () -> socket.register(selector, OP_ACCEPT));
        assertThrows(IllegalArgumentException.class, () -> listener.register(selector, OP_READ));
        assertThrows(IllegalArgumentException.class, () -> pipe.source().register(selector, OP_WRITE));
        assertThrows(IllegalArgumentException.class, () -> pipe.sink().register(selector, OP_READ));
        assertThrows(IllegalArgumentException.class, () -> lab.datagram().register(selector, OP_CONNECT));
        assertThrows(IllegalArgumentException.class, () -> socket.register(selector, -1));
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void aBlockingChannelIsRefused(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel blocking = lab.tcp().far();
        assertThrows(IllegalBlockingModeException.class, () -> blocking.register(selector, OP_READ));
        assertFalse(blocking.isRegistered());
    }

    @EachProvider
    void aRegisteredChannelCannotBeMadeBlocking(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey key = channel.register(selector, OP_READ);
        assertThrows(IllegalBlockingModeException.class, () -> channel.configureBlocking(true));
        key.cancel();
        channel.configureBlocking(true);
        assertTrue(channel.isBlocking());
    }

    @EachProvider
    void aClosedChannelIsRefused(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        channel.close();
        assertThrows(ClosedChannelException.class, () -> channel.register(selector, OP_READ));
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void aClosedSelectorRefusesToRegister(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        selector.close();
        assertThrows(ClosedSelectorException.class, () -> channel.register(selector, OP_READ));
        assertFalse(channel.isRegistered());
    }

    @EachProvider
    void aForeignChannelIsRefused(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ForeignChannel channel = lab.opened(new ForeignChannel(lab.provider()));
        channel.configureBlocking(false);
        assertThrows(IllegalSelectorException.class, () -> channel.register(selector, OP_READ));
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void oneChannelHasOneKeyPerSelector(Lab lab) throws Exception {
        Selector one = lab.selector();
        Selector two = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey first = pipe.source().register(one, OP_READ);
        SelectionKey second = pipe.source().register(two, OP_READ);
        assertNotSame(first, second);
        Io.feed(pipe);
        assertEquals(1, one.select());
        assertEquals(1, two.select());
        first.cancel();
        assertEquals(0, one.selectNow());
        assertTrue(second.isValid());
        two.selectedKeys().clear();
        assertEquals(1, two.select());
    }

    @EachProvider
    void aKeyCancelledButNotYetDeregisteredBlocksANewRegistration(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.tcp().near();
        channel.register(selector, OP_READ).cancel();
        assertThrows(CancelledKeyException.class, () -> channel.register(selector, OP_READ));
        selector.selectNow();
        SelectionKey again = channel.register(selector, OP_WRITE);
        assertTrue(again.isValid());
        assertEquals(1, selector.selectNow());
        assertEquals(Set.of(again), selector.selectedKeys());
    }

    @EachProvider
    void aRegistrationMadeWhileAnotherThreadSelectsIsSeenAfterAWakeup(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        Io.feed(pipe);
        Job<Integer> job = lab.start(() -> selector.select() + selector.select());
        job.awaitSelecting();
        pipe.source().register(selector, OP_READ);
        selector.wakeup();
        assertEquals(1, job.result());
    }

    @EachProvider
    void registrationDoesNotBlockWhileAnotherThreadSelects(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        Job<Integer> selecting = lab.start(selector::select);
        selecting.awaitSelecting();
        Job<SelectionKey> registering = lab.start(() -> pipe.source().register(selector, OP_READ));
        assertTrue(registering.result().isValid());
        assertFalse(selecting.isDone());
        selector.wakeup();
        assertEquals(0, selecting.result());
    }
}
