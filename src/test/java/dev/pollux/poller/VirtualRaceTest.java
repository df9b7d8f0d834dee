// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.lab.Io;
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

/** What ends the await of a virtual thread, in whatever moment it comes. */
class VirtualRaceTest {

    private final AtomicLong returned = new AtomicLong();
    private final AtomicLong interrupted = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachMechanism
    void noWakeupInterruptEventOrCloseIsLost(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN | ONESHOT);
        Poller.Handler handler = (member, events) -> {
            Io.drain(pipe.source());
            member.enable();
            received.incrementAndGet();
        };
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        FutureTask<Void> task = Virtual.start(() -> {
            thread.complete(Thread.currentThread());
            for (long n = 0;; n++) {
                poller.await(handler, n % 4 == 0 ? TimeUnit.MILLISECONDS.toNanos(1) : -1, NANOSECONDS);
                interrupted.addAndGet(Thread.interrupted() ? 1 : 0);
                returned.incrementAndGet();
            }
        });
        Thread waiting = thread.get(20, TimeUnit.SECONDS);
        Race.run(new Question("wakeup", poller::wakeup, returned),
                new Question("wakeup once more", poller::wakeup, returned),
                new Question("interrupt", waiting::interrupt, interrupted),
                new Question("event", () -> Io.feed(pipe), received));
        poller.close();
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> task.get(20, TimeUnit.SECONDS));
        assertEquals(ClosedPollerException.class, thrown.getCause().getClass());
    }
}
