// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** What the kernel refuses where poll(2) cannot stand in: the next selection throws. */
@Tag("beyond-jdk")
class ThrownRefusalTest {

    @EachProvider
    void aRefusedRegistrationIsReportedWithCallChannelAndError(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.register(selector, OP_READ);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            IOException thrown = assertThrows(IOException.class, selector::selectNow);
            String message = String.valueOf(thrown.getMessage());
            assertTrue(message.contains(lab.callInMessages()), "the call is named: " + message);
            assertTrue(message.contains("No space left on device"), "the error is named: " + message);
            assertTrue(message.contains(Descriptors.shownName(channel)), "the channel is named: " + message);
            assertTrue(!faults.calls().isEmpty());
        }
    }

    @EachProvider
    void aRefusalIsReportedOnceAndTheKeyStaysRegistered(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertThrows(IOException.class, () -> selector.select(1000));
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.selectNow(k -> { }));
            assertEquals(0, selector.select(20));
            assertTrue(key.isValid());
            assertEquals(Set.of(key), selector.keys());
            assertTrue(faults.calls().size() > 1, "it was tried again");
        }
    }

    @EachProvider
    void aRefusedRegistrationWorksOnceTheKernelTakesIt(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOMEM")) {
            assertThrows(IOException.class, selector::selectNow);
            assertTrue(!faults.calls().isEmpty());
        }
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void otherChannelsAreServedDespiteARefusal(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        Pipe served = lab.pipe();
        SelectionKey key = served.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        Io.feed(served);
        lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertThrows(IOException.class, selector::selectNow);
            for (int i = 0; i < 10; i++) {
                assertEquals(1, selector.select());
                assertTrue(selector.selectedKeys().remove(key));
            }
            assertTrue(!faults.calls().isEmpty());
        }
    }

    @EachProvider
    void changesThatAreNotRefusedAreAppliedBeforeTheException(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        DatagramChannel cancelled = lab.datagram();
        SelectionKey key = cancelled.register(selector, OP_READ);
        SelectionKey changed = lab.datagram().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        lab.datagram().register(selector, OP_READ);
        changed.interestOps(OP_WRITE);
        key.cancel();
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOSPC")) {
            assertThrows(IOException.class, selector::selectNow);
            assertTrue(faults.calls().size() > 1, "the other changes were told as well");
        }
        assertFalse(cancelled.isRegistered());
        assertEquals(1, selector.select());
        assertEquals(Set.of(changed), selector.selectedKeys());
    }

    @EachProvider
    void aRefusalIsReportedAgainWhenTheInterestChanges(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertThrows(IOException.class, selector::selectNow);
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_READ | OP_WRITE);
            assertThrows(IOException.class, selector::selectNow);
            assertEquals(0, selector.selectNow());
            assertTrue(!faults.calls().isEmpty());
        }
        assertEquals(1, selector.select());
    }

    @EachProvider
    void aRefusalIsReportedAgainWhenTheErrorChanges(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertThrows(IOException.class, selector::selectNow);
            assertTrue(!faults.calls().isEmpty());
        }
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOMEM")) {
            IOException thrown = assertThrows(IOException.class, selector::selectNow);
            assertTrue(thrown.getMessage().contains("(ENOMEM)"), thrown.getMessage());
            assertTrue(!faults.calls().isEmpty());
        }
        assertEquals(1, selector.select());
    }

    @EachProvider
    void aRefusedModificationKeepsTheOldInterestWorking(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(OP_READ | OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOMEM")) {
            assertThrows(IOException.class, selector::selectNow);
            Io.send(connection.far());
            assertEquals(1, selector.select());
            assertEquals(OP_READ, key.readyOps());
            assertTrue(!faults.calls().isEmpty());
        }
        assertEquals(1, selector.select());
        assertEquals(OP_READ | OP_WRITE, key.readyOps());
    }

    @EachProvider
    void aChannelWhoseRegistrationWasRefusedCanBeCancelledAndClosed(Lab lab) throws Exception {
        lab.needsThrownRefusals();
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.register(selector, OP_READ);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertThrows(IOException.class, selector::selectNow);
            int before = Descriptors.count();
            channel.close();
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.keys().size());
            assertEquals(before - 1, Descriptors.count());
            assertTrue(!faults.calls().isEmpty());
        }
    }
}
