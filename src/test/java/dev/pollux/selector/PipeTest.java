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
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Both ends of a pipe. */
class PipeTest {

    @EachProvider
    void aSourceIsReadableWhenTheSinkWasWritten(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        Io.feed(pipe);
        assertEquals(1, job.result());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void aSinkIsWritableUntilItIsFull(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.sink().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
        selector.selectedKeys().clear();
        Io.fill(pipe.sink());
        assertEquals(0, selector.selectNow());
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        Io.drain(pipe.source());
        assertEquals(1, job.result());
    }

    @EachProvider
    void bothEndsInOneSelectorAreToldApart(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey source = pipe.source().register(selector, OP_READ);
        SelectionKey sink = pipe.sink().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, sink.readyOps());
        Io.feed(pipe);
        assertEquals(1, selector.select());
        assertEquals(OP_READ, source.readyOps());
        assertEquals(selector.keys(), selector.selectedKeys());
    }

    @EachProvider
    void aSourceWhoseSinkWasClosedIsReadableAtItsEnd(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        pipe.sink().close();
        assertEquals(1, job.result());
        assertTrue(key.isReadable());
        assertEquals(-1, pipe.source().read(ByteBuffer.allocate(1)));
    }

    @EachProvider
    void aSinkWhoseSourceWasClosedBeforeIsWritableToItsErrorAsLongAsItIsAskedFor(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().close();
        SelectionKey key = pipe.sink().register(selector, OP_WRITE);
        for (int i = 0; i < 4; i++) {
            assertEquals(1, selector.select());
            assertTrue(key.isWritable());
            assertThrows(IOException.class, () -> pipe.sink().write(ByteBuffer.allocate(1)));
            selector.selectedKeys().clear();
            if (i == 1) {
                key.interestOps(0);
                assertEquals(0, selector.selectNow());
                key.interestOps(OP_WRITE);
            }
        }
        key.cancel();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aSinkWhoseSourceIsClosedStaysWritableToItsError(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.sink().register(selector, OP_WRITE);
        for (int i = 0; i < 4; i++) {
            assertEquals(1, selector.select());
            assertTrue(key.isWritable());
            selector.selectedKeys().clear();
            pipe.source().close();
        }
        assertThrows(IOException.class, () -> pipe.sink().write(ByteBuffer.allocate(1)));
    }

    @EachProvider
    void aFullSinkWhoseSourceWasClosedIsWritableToItsError(Lab lab) throws Exception {
        lab.needsEndOfFullPipe();
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        Io.fill(pipe.sink());
        SelectionKey key = pipe.sink().register(selector, OP_WRITE);
        assertEquals(0, selector.selectNow());
        pipe.source().close();
        assertEquals(1, selector.select());
        assertTrue(key.isWritable());
        assertThrows(IOException.class, () -> pipe.sink().write(ByteBuffer.allocate(1)));
    }

    @EachProvider
    void aTokenGoesRoundARingOfPipes(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe[] ring = new Pipe[50];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = lab.pipe();
            ring[i].source().register(selector, OP_READ, i);
        }
        Io.feed(ring[0]);
        ByteBuffer token = ByteBuffer.allocate(1);
        for (int step = 0; step < 5000; step++) {
            assertEquals(1, selector.select());
            SelectionKey key = selector.selectedKeys().iterator().next();
            selector.selectedKeys().clear();
            assertEquals(step % ring.length, key.attachment());
            ((Pipe.SourceChannel) key.channel()).read(token.clear());
            ring[(step + 1) % ring.length].sink().write(token.flip());
        }
    }
}
