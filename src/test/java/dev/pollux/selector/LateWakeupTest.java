// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** A waker whose system call is held up: the selection that it was for has ended meanwhile. */
class LateWakeupTest {

    @EachProvider
    @Tag("beyond-jdk")
    void aWakeupThatWasTakenDoesNotEndALaterSelectionByItsLateSystemCall(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> first = lab.start(selector::select);
        first.awaitSelecting();
        try (LateWaker waker = new LateWaker(lab, selector)) {
            Io.feed(pipe);
            assertEquals(1, first.result());
            selector.selectedKeys().clear();
            Io.drain(pipe.source());
            Job<Integer> second = lab.start(selector::select);
            second.awaitSelecting();
            assertEquals(1, waker.writes());
            Thread.sleep(200);
            assertFalse(second.isDone(), "the late write has ended a selection that nobody woke");
            Io.feed(pipe);
            assertEquals(1, second.result());
        }
        selector.selectedKeys().clear();
        Io.drain(pipe.source());
        long cpu = Io.cpuMillisOf(() -> selector.select(200));
        assertTrue(cpu < 70, "processor time: " + cpu + " ms");
    }

    @EachProvider
    void aLateWakeupNeverWritesToADescriptorThatBelongsToSomebodyElseByNow(Lab lab) throws Exception {
        Selector selector = lab.provider().openSelector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> first = lab.start(selector::select);
        first.awaitSelecting();
        List<Pipe> newcomers = new ArrayList<>();
        try (LateWaker waker = new LateWaker(lab, selector)) {
            Io.feed(pipe);
            assertEquals(1, first.result());
            Job<Void> closer = lab.start(() -> {
                selector.close(); // it may wait for the waker
                for (int i = 0; i < 10; i++) {
                    newcomers.add(lab.pipe());
                }
                return null;
            });
            Thread.sleep(200);
            assertEquals(1, waker.writes());
            closer.result();
        }
        for (Pipe newcomer : newcomers) {
            assertEquals(0, newcomer.source().read(ByteBuffer.allocate(64)), "bytes that nobody here wrote");
        }
    }

    /** A thread in {@code wakeup}, whose write does not reach the kernel before {@link #writes} is called. */
    private static final class LateWaker implements AutoCloseable {
        private final Injection injection;
        private final Job<Void> waker;

        LateWaker(Lab lab, Selector selector) throws Exception {
            Injection.needed();
            CompletableFuture<Injection> attached = new CompletableFuture<>();
            waker = lab.start(() -> {
                try {
                    attached.complete(Injection.holding("write"));
                } catch (Throwable e) {
                    attached.completeExceptionally(e);
                    throw e;
                }
                selector.wakeup();
                return null;
            });
            injection = attached.get(30, TimeUnit.SECONDS);
            waker.awaitHeldUp();
        }

        /** Lets the write go on, and returns the number of writes. */
        int writes() throws Exception {
            int writes = injection.calls().size();
            waker.result();
            return writes;
        }

        @Override
        public void close() throws IOException {
            injection.close();
        }
    }
}
