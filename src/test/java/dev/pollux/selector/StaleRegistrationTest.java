// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Duplicate;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** Registrations that the kernel keeps although their key is gone (man 7 epoll, questions and answers, 6). */
@Tag("beyond-jdk")
class StaleRegistrationTest {

    private static final long WAIT = 300;

    @EachProvider
    void aRemovalThatFailedMakesNoSelectionSpin(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        SelectionKey key = channel.register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        key.cancel();
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
            assertEquals(0, selector.selectNow());
            assertTrue(!faults.calls().isEmpty());
        }
        assertSleeps(selector);
        assertSleeps(selector);
    }

    @EachProvider
    void aSelectionAfterAFailedRemovalFindsTheOtherChannels(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        DatagramChannel receiver = lab.datagram();
        SelectionKey other = receiver.register(selector, OP_READ);
        assertEquals(1, selector.select());
        key.cancel();
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
            assertEquals(0, selector.selectNow());
            assertTrue(!faults.calls().isEmpty());
        }
        send(lab, receiver);
        assertEquals(1, selector.select());
        assertEquals(Set.of(other), selector.selectedKeys());
        receiver.receive(ByteBuffer.allocate(8));
        assertSleeps(selector);
    }

    @EachProvider
    void aChannelWhoseRemovalFailedCanBeRegisteredAgain(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        key.cancel();
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
            assertEquals(0, selector.selectNow());
            assertTrue(!faults.calls().isEmpty());
        }
        SelectionKey again = connection.near().register(selector, OP_READ);
        assertSleeps(selector);
        Io.send(connection.far());
        assertEquals(1, selector.select());
        assertEquals(Set.of(again), selector.selectedKeys());
        assertEquals(OP_READ, again.readyOps());
    }

    @EachProvider
    void aDuplicateOfAClosedChannelMakesNoSelectionSpin(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        DatagramChannel other = lab.datagram();
        SelectionKey key = other.register(selector, OP_READ);
        channel.register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        try (Duplicate duplicate = Duplicate.of(channel)) {
            try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
                channel.close();
                assertEquals(0, selector.selectNow());
                assertTrue(!faults.calls().isEmpty());
            }
            assertTrue(duplicate.isHeld());
            assertSleeps(selector);
            assertSleeps(selector);
            send(lab, other);
            assertEquals(1, selector.select());
            assertEquals(Set.of(key), selector.selectedKeys());
        }
    }

    @EachProvider
    void anEventOfTheOldChannelIsNotGivenToTheNewOneWithItsNumber(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        int number = Descriptors.numberOf(old);
        old.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        send(lab, old);
        try (Duplicate duplicate = Duplicate.of(old)) {
            try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
                old.close();
                selector.selectNow();
                assertTrue(!faults.calls().isEmpty());
            }
            DatagramChannel fresh = lab.datagramWithNumber(number);
            SelectionKey key = fresh.register(selector, OP_READ);
            assertTrue(duplicate.isHeld());
            assertSleeps(selector);
            send(lab, fresh);
            assertEquals(1, selector.select());
            assertEquals(Set.of(key), selector.selectedKeys());
        }
    }

    @EachProvider
    void everyOtherChannelSurvivesTheCleanUp(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        DatagramChannel stale = lab.datagram();
        stale.register(selector, OP_WRITE);
        for (int i = 0; i < 100; i++) {
            lab.datagram().register(selector, OP_READ);
        }
        assertEquals(1, selector.select());
        try (Duplicate duplicate = Duplicate.of(stale)) {
            try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
                stale.close();
                selector.selectNow();
                assertTrue(!faults.calls().isEmpty());
            }
            assertSleeps(selector);
            assertTrue(duplicate.isHeld());
            for (SelectionKey key : selector.keys()) {
                send(lab, (DatagramChannel) key.channel());
            }
            while (selector.selectedKeys().size() < 100) {
                assertTrue(selector.select() > 0);
            }
            selector.selectedKeys().clear();
            selector.keys().forEach(key -> key.interestOps(0));
            assertSleeps(selector);
            assertEquals(0, selector.wakeup().select());
        }
    }

    @EachProvider
    void aCleanUpThatIsRefusedIsDoneLater(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        DatagramChannel stale = lab.datagram();
        stale.register(selector, OP_WRITE);
        DatagramChannel receiver = lab.datagram();
        SelectionKey key = receiver.register(selector, OP_READ);
        assertEquals(1, selector.select());
        int before = Descriptors.count();
        try (Duplicate duplicate = Duplicate.of(stale)) {
            try (Injection faults = Injection.failing(lab.changeCall(), "ENOMEM")) {
                stale.close();
                for (int i = 0; i < 3; i++) {
                    selectNowOrFail(selector);
                }
                assertTrue(!faults.calls().isEmpty());
            }
            assertTrue(duplicate.isHeld());
            assertSleeps(selector);
            send(lab, receiver);
            assertEquals(1, selector.select());
            assertEquals(Set.of(key), selector.selectedKeys());
        }
        assertEquals(before - 1, Descriptors.count());
    }

    /** As long as the kernel refuses everything the selection may say so. */
    private static void selectNowOrFail(Selector selector) {
        try {
            assertEquals(0, selector.selectNow());
        } catch (IOException e) {
            assertTrue(e.getMessage().contains("(ENOMEM)"), e.getMessage());
        }
    }

    private static void send(Lab lab, DatagramChannel receiver) throws Exception {
        try (DatagramChannel sender = lab.provider().openDatagramChannel()) {
            sender.send(ByteBuffer.wrap(new byte[1]), receiver.getLocalAddress());
        }
    }

    private static void assertSleeps(Selector selector) throws Exception {
        selector.selectedKeys().clear();
        Io.assertSleeps(selector, WAIT);
    }
}
