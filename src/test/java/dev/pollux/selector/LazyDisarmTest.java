// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Events that nobody wants, whatever a selector tells the kernel about it and when. */
class LazyDisarmTest {

    private static final long WAIT = 300;

    /** Long enough for another thread to see, on a busy machine, that this one waits. */
    private static final long LONG_WAIT = 2000;

    @EachProvider
    void unwantedDataDoesNotEndASelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        Io.feed(pipe);
        assertSleeps(selector);
        assertSleeps(selector);
    }

    @EachProvider
    void unwantedDataThatArrivesDuringASelectionDoesNotEndIt(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        Job<Long> job = lab.start(() -> Io.nanosOf(() -> assertEquals(0, selector.select(LONG_WAIT))));
        job.awaitSelecting();
        Io.feed(pipe);
        assertTrue(job.result() >= TimeUnit.MILLISECONDS.toNanos(LONG_WAIT));
    }

    @EachProvider
    void unwantedDataDoesNotEndAConsumerSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select(k -> k.interestOps(0)));
        long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(k -> k.interestOps(0), WAIT)));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(WAIT));
        assertEquals(0, key.interestOps());
    }

    @EachProvider
    void interestTakenAwayAndGivenBackReportsWhatIsReady(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        for (int i = 0; i < 100; i++) {
            key.interestOps(0);
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_READ);
            assertEquals(1, selector.select());
            assertEquals(OP_READ, key.readyOps());
            selector.selectedKeys().clear();
        }
    }

    @EachProvider
    void interestTakenAwayAndGivenBackBetweenTwoSelectionsChangesNothing(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        key.interestOps(OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select());
    }

    @EachProvider
    void writeInterestComesAndGoes(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        for (int i = 0; i < 50; i++) {
            key.interestOpsOr(OP_WRITE);
            assertEquals(1, selector.select());
            assertEquals(OP_WRITE, key.readyOps());
            selector.selectedKeys().clear();
            key.interestOpsAnd(~OP_WRITE);
            assertEquals(0, selector.selectNow());
        }
        assertSleeps(selector);
    }

    @EachProvider
    void unwantedDataDoesNotHideWhatIsWanted(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Io.send(connection.far());
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @EachProvider
    void aPeerThatGoesWhileNothingIsWantedDoesNotEndASelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        connection.far().close();
        assertSleeps(selector);
        key.interestOps(OP_READ);
        assertEquals(1, selector.select());
        assertTrue(key.isReadable());
    }

    @EachProvider
    void aResetWhileNothingIsWantedDoesNotEndASelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        connection.far().socket().setSoLinger(true, 0);
        connection.far().close();
        assertSleeps(selector);
        key.interestOps(OP_READ);
        assertEquals(1, selector.select());
        assertTrue(key.isReadable());
    }

    @EachProvider
    void aClosedPipeWhileNothingIsWantedDoesNotEndASelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, 0);
        pipe.sink().close();
        assertSleeps(selector);
        key.interestOps(OP_READ);
        assertEquals(1, selector.select());
    }

    @EachProvider
    void aConnectionThatArrivesWhileNothingIsWantedWaits(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        SelectionKey key = listener.register(selector, SelectionKey.OP_ACCEPT);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        SocketChannel client = lab.opened(lab.provider().openSocketChannel());
        client.connect(listener.getLocalAddress());
        assertSleeps(selector);
        key.interestOps(SelectionKey.OP_ACCEPT);
        assertEquals(1, selector.select());
        lab.opened(listener.accept());
    }

    @EachProvider
    void unwantedDataOnManyChannelsStillLetsOneBeSeen(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 100; i++) {
            Pipe pipe = lab.pipe();
            pipe.source().register(selector, OP_READ).interestOps(OP_READ);
            Io.feed(pipe);
        }
        selector.select();
        selector.selectedKeys().clear();
        selector.keys().forEach(key -> key.interestOps(0));
        Pipe wanted = lab.pipe();
        SelectionKey key = wanted.source().register(selector, OP_READ);
        assertSleeps(selector);
        Io.feed(wanted);
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    /** A selection waits its full time, asleep. */
    private static void assertSleeps(Selector selector) throws Exception {
        Io.assertSleeps(selector, WAIT);
        assertEquals(0, selector.selectedKeys().size());
    }
}
