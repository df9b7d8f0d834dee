// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;

/** Descriptor numbers that come again for another channel. */
class DescriptorReuseTest {

    @EachProvider
    void aNewChannelWithAnOldNumberGetsItsOwnEventsOnly(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel sender = lab.datagram();
        int reused = 0;
        for (int i = 0; i < 200; i++) {
            DatagramChannel old = lab.datagram();
            int number = Descriptors.numberOf(old);
            old.register(selector, OP_READ);
            sender.send(ByteBuffer.wrap(new byte[1]), old.getLocalAddress());
            assertEquals(1, selector.select());
            old.close();
            assertEquals(0, selector.selectNow());
            DatagramChannel fresh = lab.datagram();
            reused += Descriptors.numberOf(fresh) == number ? 1 : 0;
            SelectionKey key = fresh.register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            assertEquals(Set.of(), selector.selectedKeys());
            sender.send(ByteBuffer.wrap(new byte[1]), fresh.getLocalAddress());
            assertEquals(1, selector.select());
            assertEquals(Set.of(key), selector.selectedKeys());
            fresh.close();
            assertEquals(0, selector.selectNow());
        }
        assertTrue(reused > 100, "numbers that came again: " + reused);
    }

    @EachProvider
    void interestOfTheOldChannelIsNotInherited(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 100; i++) {
            DatagramChannel old = lab.datagram();
            old.register(selector, OP_READ | OP_WRITE);
            assertEquals(1, selector.select());
            old.close();
            selector.selectNow();
            DatagramChannel fresh = lab.datagram();
            SelectionKey key = fresh.register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_WRITE);
            assertEquals(1, selector.select());
            fresh.close();
            selector.selectNow();
        }
    }

    @EachProvider
    void aChannelThatWasNeverSelectedCanBeReplaced(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 100; i++) {
            DatagramChannel old = lab.datagram();
            old.register(selector, OP_WRITE);
            old.close();
            selector.selectNow();
            DatagramChannel fresh = lab.datagram();
            fresh.register(selector, OP_WRITE);
            assertEquals(1, selector.select());
            fresh.close();
            selector.selectNow();
        }
    }

    @EachProvider
    void aLazilyDisarmedChannelThatWasClosedDisturbsNobody(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel sender = lab.datagram();
        for (int i = 0; i < 100; i++) {
            DatagramChannel old = lab.datagram();
            SelectionKey key = old.register(selector, OP_READ);
            selector.selectNow();
            key.interestOps(0);
            selector.selectNow();
            old.close();
            selector.selectNow();
            DatagramChannel fresh = lab.datagram();
            fresh.register(selector, 0);
            sender.send(ByteBuffer.wrap(new byte[1]), fresh.getLocalAddress());
            assertEquals(0, selector.selectNow());
            fresh.keyFor(selector).interestOps(OP_READ);
            assertEquals(1, selector.select());
            fresh.close();
            selector.selectNow();
        }
    }

    @EachProvider
    void twoSelectorsSeeTheSameNumberChangeHands(Lab lab) throws Exception {
        Selector one = lab.selector();
        Selector two = lab.selector();
        DatagramChannel sender = lab.datagram();
        for (int i = 0; i < 50; i++) {
            DatagramChannel old = lab.datagram();
            old.register(one, OP_READ);
            old.register(two, OP_WRITE);
            assertEquals(0, one.selectNow());
            assertEquals(1, two.selectNow());
            old.close();
            one.selectNow();
            two.selectNow();
            DatagramChannel fresh = lab.datagram();
            fresh.register(two, OP_READ);
            fresh.register(one, OP_WRITE);
            assertEquals(1, one.selectNow());
            assertEquals(0, two.selectNow());
            sender.send(ByteBuffer.wrap(new byte[1]), fresh.getLocalAddress());
            assertEquals(1, two.select());
            fresh.close();
            one.selectNow();
            two.selectNow();
        }
    }
}
