// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** Connected sockets: data, half-close, reset, out-of-band data. */
class StreamTest {

    private static final long WAIT = 300;

    @EachProvider
    void aSocketIsReadableWhenDataArrives(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        Io.send(connection.far());
        assertEquals(1, job.result());
        assertTrue(key.isReadable());
    }

    @EachProvider
    void aFullSocketIsNotWritableUntilThePeerReads(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        do {
            Io.fill(connection.near());
        } while (selector.select(50) > 0 && selector.selectedKeys().remove(key));
        connection.far().configureBlocking(false);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        while (!job.isDone()) {
            Io.drain(connection.far());
            Thread.sleep(1);
        }
        assertEquals(1, job.result());
        assertTrue(key.isWritable());
    }

    @EachProvider
    void theEndOfTheStreamIsReadable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        connection.far().shutdownOutput();
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
        assertEquals(-1, connection.near().read(ByteBuffer.allocate(1)));
        selector.selectedKeys().clear();
        assertEquals(1, selector.select());
    }

    @EachProvider
    void aHalfClosedConnectionStillCarriesDataTheOtherWay(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().shutdownOutput();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        Io.send(connection.far());
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
        assertEquals(1, connection.near().read(ByteBuffer.allocate(8)));
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aSocketShutDownForReadingIsReadableAtItsEnd(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        connection.near().shutdownInput();
        assertEquals(1, selector.select(10_000));
        assertTrue(key.isReadable());
    }

    @EachProvider
    void aResetIsReportedForWhateverIsWanted(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        connection.far().socket().setSoLinger(true, 0);
        connection.far().close();
        assertEquals(1, selector.select());
        assertTrue(key.isReadable());
        assertThrows(IOException.class, () -> connection.near().read(ByteBuffer.allocate(1)));
    }

    @EachProvider
    void aResetEndsASelectionInProgress(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        Job<Integer> job = lab.start(() -> selector.select(key -> assertTrue(key.isReadable())));
        job.awaitSelecting();
        connection.far().socket().setSoLinger(true, 0);
        connection.far().close();
        assertEquals(1, job.result());
    }

    @EachProvider
    void outOfBandDataIsNeitherReadableNorASpin(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        connection.far().socket().sendUrgentData('!');
        long[] nanos = new long[1];
        int[] selected = new int[1];
        long cpu = Io.cpuMillisOf(() -> nanos[0] = Io.nanosOf(() -> selected[0] = selector.select(WAIT)));
        assertEquals(0, selected[0]);
        assertTrue(nanos[0] >= TimeUnit.MILLISECONDS.toNanos(WAIT), "returned after " + nanos[0] + " ns");
        assertTrue(cpu < WAIT / 3, "processor time: " + cpu + " ms");
        assertEquals(0, connection.near().read(ByteBuffer.allocate(8)));
        Io.send(connection.far());
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void outOfBandDataReceivedInlineIsReadable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().socket().setOOBInline(true);
        SelectionKey key = connection.near().register(selector, OP_READ);
        connection.far().socket().sendUrgentData('!');
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
        ByteBuffer buffer = ByteBuffer.allocate(8);
        assertEquals(1, connection.near().read(buffer));
        assertEquals('!', buffer.get(0));
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void outOfBandDataBetweenOrdinaryDataDisturbsNeither(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        int read = 0;
        for (int i = 0; i < 20; i++) {
            Io.send(connection.far());
            connection.far().socket().sendUrgentData('!');
        }
        ByteBuffer buffer = ByteBuffer.allocate(64);
        while (read < 20) {
            assertEquals(1, selector.select());
            selector.selectedKeys().clear();
            read += connection.near().read(buffer.clear());
        }
        selector.selectNow();
        selector.selectedKeys().clear();
        long cpu = Io.cpuMillisOf(() -> selector.select(WAIT));
        assertTrue(cpu < WAIT / 3, "processor time: " + cpu + " ms");
    }
}
