// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.pollux.lab.Io;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The three selections that perform an action. */
class ConsumerTest {

    @EachProvider
    void everyFormDeliversAReadyKeyAndCountsIt(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        List<SelectionKey> delivered = new ArrayList<>();
        assertEquals(1, selector.select(delivered::add));
        assertEquals(1, selector.select(delivered::add, 30_000));
        assertEquals(1, selector.selectNow(delivered::add));
        assertEquals(List.of(key, key, key), delivered);
    }

    @EachProvider
    void anActionIsNeverNull(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertThrows(NullPointerException.class, () -> selector.select(null));
        assertThrows(NullPointerException.class, () -> selector.select(null, 1));
        assertThrows(NullPointerException.class, () -> selector.selectNow(null));
    }

    @EachProvider
    void nothingIsAddedToTheSelectedKeys(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select(key -> assertTrue(selector.selectedKeys().isEmpty())));
        assertEquals(Set.of(), selector.selectedKeys());
    }

    @EachProvider
    void theReadySetIsExactAtEachDelivery(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ | OP_WRITE);
        assertEquals(1, selector.select(k -> assertEquals(OP_WRITE, k.readyOps())));
        Io.send(connection.far());
        key.interestOps(OP_READ);
        assertEquals(1, selector.select(k -> assertEquals(OP_READ, k.readyOps())));
    }

    @EachProvider
    void aKeyReadyForTwoOperationsIsDeliveredOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Io.send(connection.far());
        assertEquals(1, selector.select(k -> { }));
        key.interestOps(OP_READ | OP_WRITE);
        List<Integer> ready = new ArrayList<>();
        assertEquals(1, selector.select(k -> ready.add(k.readyOps())));
        assertEquals(List.of(OP_READ | OP_WRITE), ready);
    }

    @EachProvider
    void aKeyThatIsAlreadySelectedIsDeliveredToo(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        List<SelectionKey> delivered = new ArrayList<>();
        assertEquals(1, selector.select(delivered::add));
        assertEquals(List.of(key), delivered);
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @EachProvider
    void everyReadyKeyIsDeliveredOncePerSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 300; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        Set<SelectionKey> delivered = new HashSet<>();
        assertEquals(300, selector.select(key -> assertTrue(delivered.add(key), "delivered twice")));
        assertEquals(selector.keys(), delivered);
    }

    @EachProvider
    void withoutReadyKeysTheActionIsNotPerformed(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_READ);
        assertEquals(0, selector.selectNow(key -> fail("nothing is ready")));
        assertEquals(0, selector.select(key -> fail("nothing is ready"), 20));
        assertEquals(0, selector.wakeup().select(key -> fail("nothing is ready")));
    }

    @EachProvider
    void aCancelledKeyIsNotDeliveredAndLeavesTheSelectedKeys(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        key.cancel();
        assertEquals(0, selector.selectNow(k -> fail("cancelled")));
        assertEquals(Set.of(), selector.selectedKeys());
        assertEquals(Set.of(), selector.keys());
    }

    @EachProvider
    void bothKindsOfSelectionCanBeMixed(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe one = lab.pipe();
        Pipe two = lab.pipe();
        SelectionKey first = one.source().register(selector, OP_READ);
        SelectionKey second = two.source().register(selector, OP_READ);
        Io.feed(one);
        assertEquals(1, selector.select());
        Io.feed(two);
        Set<SelectionKey> delivered = new HashSet<>();
        assertEquals(2, selector.select(delivered::add));
        assertEquals(Set.of(first, second), delivered);
        assertEquals(Set.of(first), selector.selectedKeys());
        assertEquals(1, selector.select());
    }
}
