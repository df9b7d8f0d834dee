// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Closing a channel while it is registered. */
class ChannelClosingTest {

    @EachProvider
    void closingAChannelCancelsItsKeys(Lab lab) throws Exception {
        Selector one = lab.selector();
        Selector two = lab.selector();
        SocketChannel channel = lab.tcp().near();
        SelectionKey first = channel.register(one, OP_READ);
        SelectionKey second = channel.register(two, OP_READ);
        channel.close();
        assertFalse(first.isValid());
        assertFalse(second.isValid());
        assertEquals(0, one.selectNow());
        assertEquals(0, two.selectNow());
        assertEquals(Set.of(), one.keys());
        assertEquals(Set.of(), two.keys());
    }

    @EachProvider
    void theDescriptorIsFreedByTheNextSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        selector.selectNow();
        int before = Descriptors.count();
        connection.near().close();
        selector.selectNow();
        assertEquals(before - 1, Descriptors.count());
    }

    @EachProvider
    void theDescriptorIsFreedOnceTheLastSelectorHasLetGo(Lab lab) throws Exception {
        Selector one = lab.selector();
        Selector two = lab.selector();
        SocketChannel channel = lab.tcp().near();
        channel.register(one, OP_READ);
        channel.register(two, OP_READ);
        one.selectNow();
        two.selectNow();
        int before = Descriptors.count();
        channel.close();
        one.selectNow();
        assertEquals(before, Descriptors.count());
        two.selectNow();
        assertEquals(before - 1, Descriptors.count());
    }

    @EachProvider
    void thePeerSeesTheEndOfTheStreamEvenBeforeTheNextSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        selector.selectNow();
        connection.near().close();
        connection.far().socket().setSoTimeout(20_000);
        assertEquals(-1, connection.far().socket().getInputStream().read());
    }

    @EachProvider
    void closingAChannelDuringASelectionDoesNotDisturbTheOthers(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection closed = lab.tcp();
        Lab.Connection other = lab.tcp();
        closed.near().register(selector, OP_READ);
        SelectionKey key = other.near().register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        closed.near().close();
        Io.send(other.far());
        assertEquals(1, job.result());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(Set.of(key), selector.keys());
    }

    @EachProvider
    void closingTheLastChannelDuringASelectionLetsItWaitItsTime(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        long[] cpu = new long[1];
        Job<Long> job = lab.start(() -> Io.nanosOf(() -> cpu[0] = Io.cpuMillisOf(() -> selector.select(400))));
        job.awaitSelecting();
        connection.near().close();
        assertTrue(job.result() >= TimeUnit.MILLISECONDS.toNanos(400));
        assertTrue(cpu[0] < 100, "processor time of a sleeping selection: " + cpu[0] + " ms");
    }

    @EachProvider
    void aSelectedChannelCanBeClosedWhileTheSetIsIterated(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 10; i++) {
            Lab.Connection connection = lab.tcp();
            connection.near().register(selector, OP_READ);
            Io.send(connection.far());
        }
        while (selector.selectedKeys().size() < 10) {
            selector.select();
        }
        for (SelectionKey key : selector.selectedKeys()) {
            assertEquals(1, ((SocketChannel) key.channel()).read(ByteBuffer.allocate(8)));
            key.channel().close();
        }
        assertEquals(0, selector.selectNow());
        assertEquals(Set.of(), selector.selectedKeys());
        assertEquals(Set.of(), selector.keys());
    }
}
