// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Virtual;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;

/** Awaits by virtual threads (JDK 21 and later). */
class VirtualThreadTest {

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachMechanism
    void aMemberThatIsAddedEndsTheAwaitOfAVirtualThread(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        FutureTask<Integer> task = Virtual.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        Thread.sleep(50);
        poller.add(lab.datagram(), POLLOUT);
        assertEquals(1, task.get(20, TimeUnit.SECONDS));
    }

    @EachMechanism
    void aVirtualThreadWaitsWhereDescriptorsNestTooDeepForTheJdk(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only Linux limits how deep descriptors nest");
        Pipe pipe = lab.pipe();
        Poller innermost = lab.poller();
        innermost.add(pipe.source(), POLLIN);
        Poller middle = lab.poller();
        middle.add(innermost.descriptor(), POLLIN);
        Poller outermost = lab.poller();
        outermost.add(middle.descriptor(), POLLIN);
        Awaits.poll(innermost); // they are readable at first
        Awaits.poll(middle);
        assertEquals(0, Virtual.start(() -> Form.HANDLER.await(outermost, Awaits.millis(50))).get());
        FutureTask<Integer> task = Virtual.start(() -> Form.HANDLER.await(outermost, Awaits.FOR_EVER));
        Thread.sleep(50);
        Io.feed(pipe);
        assertEquals(1, task.get(20, TimeUnit.SECONDS));
    }

    @EachMechanism
    void noFractionOfAMillisecondIsCutOff(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (long timeout : new long[] {1, 300_000, 1_000_001}) {
            FutureTask<Long> task = Virtual.start(() ->
                    Io.nanosOf(() -> assertEquals(0, Form.HANDLER.await(poller, timeout))));
            long nanos = task.get(20, TimeUnit.SECONDS);
            assertTrue(nanos >= timeout, timeout + " ns took " + nanos + " ns");
        }
    }

    @EachMechanism
    void closingEndsTheAwaitsOfVirtualThreads(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tasks.add(Virtual.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER)));
        }
        Thread.sleep(50);
        poller.close();
        for (FutureTask<Integer> task : tasks) {
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> task.get(20, TimeUnit.SECONDS));
            assertEquals(ClosedPollerException.class, thrown.getCause().getClass());
        }
    }

    @EachMechanism
    void hundredsOfAwaitsOnOnePollerAreEndedOneByOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            tasks.add(Virtual.start(() -> poller.await(new int[1], new short[1], Poller.FOREVER, NANOSECONDS)));
        }
        for (int i = 0; i < 300; i++) {
            poller.add(lab.datagram(), POLLOUT | ONESHOT);
        }
        for (FutureTask<Integer> task : tasks) {
            assertEquals(1, task.get(20, TimeUnit.SECONDS));
        }
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void virtualAndPlatformThreadsShareTheOneShotMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        int rounds = 2000;
        CountDownLatch left = new CountDownLatch(rounds);
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            channels.add(lab.datagram());
            poller.add(channels.get(i), POLLOUT | ONESHOT);
        }
        Poller.Handler handler = (member, events) -> {
            left.countDown();
            member.enable();
        };
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            tasks.add(Virtual.start(() -> awaitWhile(poller, handler, left)));
        }
        Job<Integer> platform = lab.start(() -> awaitWhile(poller, handler, left));
        assertTrue(left.await(30, TimeUnit.SECONDS), "left: " + left.getCount());
        for (FutureTask<Integer> task : tasks) {
            task.get(20, TimeUnit.SECONDS);
        }
        platform.result();
    }

    private static int awaitWhile(Poller poller, Poller.Handler handler, CountDownLatch left) throws Exception {
        int n = 0;
        while (left.getCount() > 0) {
            n += poller.await(handler, 20, MILLISECONDS);
        }
        return n;
    }
}
