// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Datagram channels. */
class DatagramTest {

    @EachProvider
    void aDatagramMakesItsReceiverReadable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel receiver = lab.datagram();
        DatagramChannel sender = lab.datagram();
        SelectionKey key = receiver.register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        sender.send(ByteBuffer.wrap(new byte[3]), receiver.getLocalAddress());
        assertEquals(1, job.result());
        assertEquals(OP_READ, key.readyOps());
        assertEquals(sender.getLocalAddress(), receiver.receive(ByteBuffer.allocate(8)));
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void anEmptyDatagramCountsToo(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel receiver = lab.datagram();
        receiver.register(selector, OP_READ);
        lab.datagram().send(ByteBuffer.allocate(0), receiver.getLocalAddress());
        assertEquals(1, selector.select());
        assertTrue(receiver.receive(ByteBuffer.allocate(8)) != null);
    }

    @EachProvider
    void aDatagramChannelIsWritable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_READ | OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @EachProvider
    void aConnectedChannelIsReadableForItsPeer(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel one = lab.datagram();
        DatagramChannel two = lab.datagram();
        one.connect(two.getLocalAddress());
        two.connect(one.getLocalAddress());
        SelectionKey key = one.register(selector, OP_READ);
        assertEquals(1, two.write(ByteBuffer.wrap(new byte[1])));
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void anUnreachablePortMakesAConnectedChannelReady(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel gone = lab.datagram();
        SocketAddress address = gone.getLocalAddress();
        gone.close();
        DatagramChannel channel = lab.datagram();
        channel.connect(address);
        SelectionKey key = channel.register(selector, OP_READ);
        channel.write(ByteBuffer.wrap(new byte[1]));
        assertEquals(1, selector.select(10_000));
        assertTrue(key.isReadable());
        assertThrows(PortUnreachableException.class, () -> channel.read(ByteBuffer.allocate(1)));
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aChannelDisconnectedWhileRegisteredStaysRegistered(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel one = lab.datagram();
        DatagramChannel two = lab.datagram();
        one.connect(two.getLocalAddress());
        SelectionKey key = one.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        one.disconnect();
        assertTrue(key.isValid());
        two.send(ByteBuffer.wrap(new byte[1]), one.getLocalAddress());
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void aChannelCanBeConnectedAndDisconnectedWhileAnotherThreadSelects(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel one = lab.datagram();
        DatagramChannel two = lab.datagram();
        one.register(selector, OP_READ);
        Job<Integer> job = lab.start(() -> {
            int selected = 0;
            while (selected == 0) {
                selected = selector.select();
            }
            return selected;
        });
        job.awaitSelecting();
        for (int i = 0; i < 100; i++) {
            one.connect(two.getLocalAddress());
            one.disconnect();
        }
        two.send(ByteBuffer.wrap(new byte[1]), one.getLocalAddress());
        assertEquals(1, job.result());
    }
}
