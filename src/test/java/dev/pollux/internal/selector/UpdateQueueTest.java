// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sun.nio.ch.SelectionKeyImpl;

/** Keys whose interest was changed are queued once, and taken out in order. */
class UpdateQueueTest {
    private final TestKeys keys;
    private final UpdateQueue queue = new UpdateQueue();
    private final List<SelectionKeyImpl> taken = new ArrayList<>();

    UpdateQueueTest() throws IOException {
        keys = new TestKeys();
    }

    @AfterEach
    void close() throws IOException {
        keys.close();
    }

    @Test
    void keysComeOutInTheOrderOfTheirFirstChange() {
        SelectionKeyImpl[] three = keys.newKeys(3);
        queue.add(three[0]);
        queue.add(three[1]);
        queue.add(three[0]);
        queue.add(three[2]);
        assertFalse(queue.isEmpty());
        queue.drain(taken::add);
        assertEquals(List.of(three), taken);
        assertTrue(queue.isEmpty());
    }

    @Test
    void moreKeysThanThereIsRoomForMakeItGrow() {
        SelectionKeyImpl[] many = keys.newKeys(100);
        for (SelectionKeyImpl key : many) {
            queue.add(key);
        }
        queue.drain(taken::add);
        assertEquals(List.of(many), taken);
    }

    @Test
    void aKeyThatWasTakenOutIsQueuedByItsNextChange() {
        SelectionKeyImpl key = keys.newKey();
        queue.add(key);
        queue.drain(taken::add);
        queue.add(key);
        queue.drain(taken::add);
        assertEquals(List.of(key, key), taken);
    }

    @Test
    void aChangeWhileItsKeyIsTakenOutQueuesItAgain() {
        SelectionKeyImpl key = keys.newKey();
        queue.add(key);
        queue.drain(queue::add);
        assertFalse(queue.isEmpty());
        queue.drain(taken::add);
        assertEquals(List.of(key), taken);
    }

    @Test
    void anErrorInTheMiddleLeavesTheRestForTheNextTime() {
        SelectionKeyImpl[] three = keys.newKeys(3);
        for (SelectionKeyImpl key : three) {
            queue.add(key);
        }
        assertThrows(StackOverflowError.class, () -> queue.drain(key -> {
            if (key == three[1]) {
                throw new StackOverflowError("on purpose");
            }
            taken.add(key);
        }));
        assertFalse(queue.isEmpty());
        queue.drain(taken::add);
        assertEquals(List.of(three), taken);
        assertTrue(queue.isEmpty());
    }
}
