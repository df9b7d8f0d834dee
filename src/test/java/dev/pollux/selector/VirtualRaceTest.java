// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pollux.lab.Io;
import dev.pollux.lab.Race;
import dev.pollux.lab.Race.Question;
import dev.pollux.lab.Virtual;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;

/** What ends the selection of a virtual thread, in whatever moment it comes. */
class VirtualRaceTest {

    private final AtomicLong returned = new AtomicLong();
    private final AtomicLong interrupted = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachProvider
    void noWakeupInterruptEventOrCloseIsLost(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        FutureTask<Void> task = Virtual.start(() -> {
            thread.complete(Thread.currentThread());
            for (long n = 0;; n++) {
                int selected = n % 4 == 0 ? selector.select(1) : selector.select();
                interrupted.addAndGet(Thread.interrupted() ? 1 : 0);
                if (selected > 0) {
                    selector.selectedKeys().clear();
                    Io.drain(pipe.source());
                    received.incrementAndGet();
                }
                returned.incrementAndGet();
            }
        });
        Thread selecting = thread.get(20, TimeUnit.SECONDS);
        Race.run(new Question("wakeup", selector::wakeup, returned),
                new Question("wakeup once more", selector::wakeup, returned),
                new Question("interrupt", selecting::interrupt, interrupted),
                new Question("event", () -> Io.feed(pipe), received));
        selector.close();
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> task.get(20, TimeUnit.SECONDS));
        assertEquals(ClosedSelectorException.class, thrown.getCause().getClass());
    }
}
