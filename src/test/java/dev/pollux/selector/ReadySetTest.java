// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;

/** What a selection writes into ready sets, and what it returns. */
class ReadySetTest {

    @EachProvider
    void theReadySetHoldsExactlyWhatIsReadyAndWanted(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ | OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
        assertTrue(key.isWritable());
        assertFalse(key.isReadable());
        assertFalse(key.isAcceptable());
        assertFalse(key.isConnectable());
    }

    @EachProvider
    void readingAndWritingAreReportedTogether(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Io.send(connection.far());
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        key.interestOps(OP_READ | OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_READ | OP_WRITE, key.readyOps());
    }

    @EachProvider
    void anotherOperationIsAddedToTheReadySetOfASelectedKey(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Io.send(connection.far());
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_READ | OP_WRITE, key.readyOps());
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @EachProvider
    void theReadySetIsReplacedOnceTheKeyWasRemoved(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Io.send(connection.far());
        assertEquals(1, selector.select());
        selector.selectedKeys().remove(key);
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @EachProvider
    void aSelectedKeyWithNothingNewReturnsZeroAtOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select());
        assertEquals(0, selector.select());
        assertEquals(0, selector.select(30_000));
        assertEquals(0, selector.selectNow());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void theCountIsThatOfUpdatedKeysOnly(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe one = lab.pipe();
        Pipe two = lab.pipe();
        SelectionKey first = one.source().register(selector, OP_READ);
        SelectionKey second = two.source().register(selector, OP_READ);
        Io.feed(one);
        assertEquals(1, selector.select());
        Io.feed(two);
        assertEquals(1, selector.select());
        assertEquals(Set.of(first, second), selector.selectedKeys());
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aKeyIsCountedOnceEvenIfItIsReadyForTwoOperations(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        Io.send(connection.far());
        SelectionKey read = connection.near().register(selector, OP_READ);
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        read.interestOps(OP_READ | OP_WRITE);
        assertEquals(1, selector.selectNow());
        assertEquals(1, selector.selectedKeys().size());
    }

    @EachProvider
    void theReadySetOfASelectedKeyKeepsWhatIsNoLongerTrue(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select());
        Io.drain(pipe.source());
        assertEquals(0, selector.selectNow());
        assertEquals(OP_READ, key.readyOps());
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @EachProvider
    void emptyInterestSetsUpdateNothing(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select());
        key.interestOps(0);
        assertEquals(0, selector.selectNow());
        assertEquals(OP_READ, key.readyOps());
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
        assertEquals(Set.of(), selector.selectedKeys());
    }

    @EachProvider
    void readinessIsReportedUntilTheDataIsRead(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        for (int i = 0; i < 100; i++) {
            assertEquals(1, selector.select());
            selector.selectedKeys().clear();
        }
        Io.drain(pipe.source());
        assertEquals(0, selector.selectNow());
    }
}
