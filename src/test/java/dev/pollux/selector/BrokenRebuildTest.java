// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Duplicate;
import dev.pollux.lab.Injection;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** An error strikes while all keys are registered with a fresh object of the kernel. */
@Tag("beyond-jdk")
class BrokenRebuildTest {
    private static final long LIMIT_MILLIS = 10_000;

    @EachProvider
    void theNextSelectionFindsEveryKeyOfARebuildThatBrokeOff(Lab lab) throws Exception {
        lab.needsReplacement();
        Selector selector = lab.selector();
        DatagramChannel closed = lab.datagram();
        closed.register(selector, OP_WRITE);
        DatagramChannel first = lab.datagram();
        DatagramChannel last = lab.datagram();
        TrippingChannel tripping = new TrippingChannel(first);
        SelectionKey firstKey = tripping.register(selector, OP_READ);
        SelectionKey lastKey = last.register(selector, OP_READ);
        assertEquals(1, selector.select());
        try (Duplicate duplicate = Duplicate.of(closed)) {
            try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
                closed.close();
                assertEquals(0, selector.selectNow());
                assertTrue(!faults.calls().isEmpty());
            }
            assertTrue(duplicate.isHeld());
            tripping.tripOnce();
            assertThrows(StackOverflowError.class, () -> selectUntilRebuilt(selector, tripping));
        }
        send(lab, first);
        assertEquals(1, selector.select(LIMIT_MILLIS));
        assertEquals(Set.of(firstKey), selector.selectedKeys());
        selector.selectedKeys().clear();
        first.receive(ByteBuffer.allocate(8));
        send(lab, last);
        assertEquals(1, selector.select(LIMIT_MILLIS));
        assertEquals(Set.of(lastKey), selector.selectedKeys());
    }

    /** The first event of a registration that was left behind has it removed, the second the kernel's object. */
    private static void selectUntilRebuilt(Selector selector, TrippingChannel tripping) throws Exception {
        for (int i = 0; i < 10 && !tripping.hasTripped(); i++) {
            assertEquals(0, selector.selectNow());
        }
    }

    private static void send(Lab lab, DatagramChannel receiver) throws Exception {
        try (DatagramChannel sender = lab.provider().openDatagramChannel()) {
            sender.send(ByteBuffer.wrap(new byte[1]), receiver.getLocalAddress());
        }
    }
}
