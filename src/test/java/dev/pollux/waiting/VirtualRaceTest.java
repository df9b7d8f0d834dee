// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pollux.lab.Io;
import dev.pollux.lab.Loop;
import dev.pollux.lab.LoopLab;
import dev.pollux.lab.Race;
import dev.pollux.lab.Race.Question;
import dev.pollux.lab.Virtual;
import java.nio.channels.Pipe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;

/** What ends the wait of a virtual thread, in whatever moment it comes. */
class VirtualRaceTest {

    private final AtomicLong returned = new AtomicLong();
    private final AtomicLong interrupted = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachLoop
    void noWakeupInterruptEventOrCloseIsLost(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        FutureTask<Void> task = Virtual.start(() -> {
            thread.complete(Thread.currentThread());
            for (long n = 0;; n++) {
                int ready = loop.await(n % 4 == 0 ? 1 : Loop.FOREVER);
                interrupted.addAndGet(Thread.interrupted() ? 1 : 0);
                if (ready > 0) {
                    Io.drain(pipe.source());
                    received.incrementAndGet();
                }
                returned.incrementAndGet();
            }
        });
        Thread waiting = thread.get(20, TimeUnit.SECONDS);
        Race.run(new Question("wakeup", loop::wakeup, returned),
                new Question("wakeup once more", loop::wakeup, returned),
                new Question("interrupt", waiting::interrupt, interrupted),
                new Question("event", () -> Io.feed(pipe), received));
        loop.close();
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> task.get(20, TimeUnit.SECONDS));
        assertEquals(loop.closedException(), thrown.getCause().getClass());
    }
}
