// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** {@code interestOps}, {@code interestOpsOr}, {@code interestOpsAnd}, and attachments. */
class InterestTest {

    @EachProvider
    void interestOpsSetsTheInterestAndReturnsTheKey(Lab lab) throws Exception {
        SelectionKey key = lab.tcp().near().register(lab.selector(), OP_READ);
        assertSame(key, key.interestOps(OP_WRITE));
        assertEquals(OP_WRITE, key.interestOps());
    }

    @EachProvider
    void interestOpsOrAddsAndReturnsWhatWasBefore(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        assertEquals(OP_READ, key.interestOpsOr(OP_WRITE));
        assertEquals(OP_READ | OP_WRITE, key.interestOps());
        assertEquals(1, selector.selectNow());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @EachProvider
    void interestOpsAndRetainsAndReturnsWhatWasBefore(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ | OP_WRITE);
        assertEquals(OP_READ | OP_WRITE, key.interestOpsAnd(~OP_WRITE));
        assertEquals(OP_READ, key.interestOps());
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void operationsThatTheChannelDoesNotHaveAreRefused(Lab lab) throws Exception {
        SelectionKey key = lab.tcp().near().register(lab.selector(), OP_READ);
        assertThrows(IllegalArgumentException.class, () -> key.interestOps(OP_ACCEPT));
        assertThrows(IllegalArgumentException.class, () -> key.interestOpsOr(OP_ACCEPT));
        assertEquals(OP_READ, key.interestOps());
    }

    @EachProvider
    void aCancelledKeyRefusesEveryInterestMethod(Lab lab) throws Exception {
        SelectionKey key = lab.tcp().near().register(lab.selector(), OP_READ);
        key.cancel();
        assertThrows(CancelledKeyException.class, key::interestOps);
        assertThrows(CancelledKeyException.class, () -> key.interestOps(OP_WRITE));
        assertThrows(CancelledKeyException.class, () -> key.interestOpsOr(OP_WRITE));
        assertThrows(CancelledKeyException.class, () -> key.interestOpsAnd(0));
        assertThrows(CancelledKeyException.class, key::readyOps);
        assertThrows(CancelledKeyException.class, key::isReadable);
    }

    @EachProvider
    void aChangeMadeDuringASelectionAppliesAtTheNextOne(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        Job<Integer> job = lab.start(() -> selector.select(400));
        job.awaitSelecting();
        key.interestOps(OP_WRITE);
        assertEquals(0, job.result());
        assertEquals(1, selector.selectNow());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @EachProvider
    void aChangeMadeDuringASelectionDoesNotEndIt(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, 0);
        Job<Long> job = lab.start(() -> Io.nanosOf(() -> selector.select(400)));
        job.awaitSelecting();
        key.interestOps(OP_WRITE);
        assertTrue(job.result() >= TimeUnit.MILLISECONDS.toNanos(400));
    }

    @EachProvider
    void manyChangesBetweenTwoSelectionsLeaveTheLastOne(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, 0);
        for (int i = 0; i < 10_001; i++) {
            key.interestOps(i % 2 == 0 ? OP_WRITE : OP_READ);
        }
        assertEquals(1, selector.selectNow());
        assertEquals(OP_WRITE, key.readyOps());
        key.interestOps(0).interestOps(OP_WRITE).interestOps(0);
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void anAttachmentIsKeptReplacedAndRemoved(Lab lab) throws Exception {
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(lab.selector(), OP_READ, "first");
        assertEquals("first", key.attachment());
        assertEquals("first", key.attach("second"));
        assertEquals("second", key.attach(null));
        assertEquals(null, key.attachment());
        key.cancel();
        assertEquals(null, key.attach("cancelled keys have attachments too"));
    }
}
