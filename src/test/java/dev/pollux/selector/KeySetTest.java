// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The view that {@code Selector.keys} returns. */
class KeySetTest {

    @EachProvider
    void theKeySetCannotBeModified(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_READ);
        Set<SelectionKey> keys = selector.keys();
        assertThrows(UnsupportedOperationException.class, () -> keys.add(key));
        assertThrows(UnsupportedOperationException.class, () -> keys.addAll(List.of(key)));
        assertThrows(UnsupportedOperationException.class, () -> keys.remove(key));
        assertThrows(UnsupportedOperationException.class, () -> keys.removeAll(List.of(key)));
        assertThrows(UnsupportedOperationException.class, () -> keys.removeIf(k -> true));
        assertThrows(UnsupportedOperationException.class, () -> keys.retainAll(List.of()));
        assertThrows(UnsupportedOperationException.class, keys::clear);
        Iterator<SelectionKey> iterator = keys.iterator();
        iterator.next();
        assertThrows(UnsupportedOperationException.class, iterator::remove);
        assertEquals(Set.of(key), keys);
    }

    @EachProvider
    void theKeySetIsALiveView(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Set<SelectionKey> keys = selector.keys();
        assertTrue(keys.isEmpty());
        SelectionKey key = lab.datagram().register(selector, OP_READ);
        assertEquals(1, keys.size());
        assertTrue(keys.contains(key));
        key.cancel();
        selector.selectNow();
        assertTrue(keys.isEmpty());
        assertFalse(keys.contains(key));
    }

    @EachProvider
    void theKeySetBehavesAsASet(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Set<SelectionKey> expected = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            expected.add(lab.datagram().register(selector, OP_READ));
        }
        Set<SelectionKey> keys = selector.keys();
        assertEquals(expected, keys);
        assertEquals(keys, expected);
        assertEquals(expected.hashCode(), keys.hashCode());
        assertEquals(expected, Set.of(keys.toArray()));
        assertEquals(expected, Set.of(keys.toArray(new SelectionKey[0])));
        assertEquals(20, keys.stream().distinct().count());
        assertTrue(keys.containsAll(expected));
        assertTrue(keys.toString().startsWith("["));
    }

    @EachProvider
    void aKeyOfAnotherSelectorIsNotInTheKeySet(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey foreign = lab.datagram().register(lab.selector(), OP_READ);
        lab.datagram().register(selector, OP_READ);
        assertFalse(selector.keys().contains(foreign));
        Object stranger = "not a key at all";
        assertFalse(selector.keys().contains(stranger));
    }

    @EachProvider
    void theKeySetCanBeIteratedDuringRegistrations(Lab lab) throws Exception {
        Selector selector = lab.selector();
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            channels.add(lab.datagram());
        }
        AtomicBoolean done = new AtomicBoolean();
        Job<Integer> reader = lab.start(() -> {
            int seen = 0;
            while (!done.get() || seen == 0) {
                for (SelectionKey key : selector.keys()) {
                    assertSame(selector, key.selector());
                    seen++;
                }
            }
            return seen;
        });
        for (int round = 0; round < 10; round++) {
            for (DatagramChannel channel : channels) {
                channel.register(selector, OP_READ);
            }
            selector.selectNow();
            selector.keys().forEach(SelectionKey::cancel);
            selector.selectNow();
        }
        channels.get(0).register(selector, OP_READ);
        done.set(true);
        assertTrue(reader.result() > 0);
        assertEquals(1, selector.keys().size());
    }

    @EachProvider
    void theKeySetCanBeIteratedWhileAnotherThreadSelects(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        assertEquals(List.of(key), new ArrayList<>(selector.keys()));
        selector.wakeup();
        job.result();
    }
}
