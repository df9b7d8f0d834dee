// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.Poller.Ready;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/**
 * Nobody waits in a Poller but for its descriptor, and awaits then without waiting; other threads arm members
 * meanwhile. Nothing may be ready without the descriptor being readable.
 */
@Tag("load")
class PollableDescriptorRaceTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);
    private static final int CHANGERS = 3;

    @EachMechanism
    void everyMemberThatIsArmedMakesTheDescriptorReadable(PollerLab lab) throws Exception {
        race(lab, 1);
    }

    @EachMechanism
    void everyMemberThatIsArmedMakesTheDescriptorReadableForOneOfTwoThreads(PollerLab lab) throws Exception {
        race(lab, 2);
    }

    private static void race(PollerLab lab, int watchers) throws Exception {
        assumeTrue(lab.isEPoll() || lab.isKQueue(), "the mechanism has no descriptor");
        Poller inner = lab.poller();
        Poller outer = lab.poller();
        outer.add(inner.descriptor(), POLLIN);
        List<Job<Long>> watching = new ArrayList<>();
        for (int i = 0; i < watchers; i++) {
            Random random = new Random(i);
            watching.add(lab.start(() -> watch(outer, inner, random)));
        }
        List<Job<Integer>> changing = new ArrayList<>();
        for (int i = 0; i < CHANGERS; i++) {
            Random random = new Random(i);
            DatagramChannel channel = lab.datagram();
            changing.add(lab.start(() -> arm(inner, channel, random)));
        }
        for (Job<Integer> job : changing) {
            assertTrue(job.result() > 0);
        }
        outer.close();
        for (Job<Long> job : watching) {
            assertTrue(job.result() > 0);
        }
    }

    private static long watch(Poller outer, Poller inner, Random random) throws IOException {
        try {
            while (true) {
                outer.await(new int[1], new short[1], Poller.FOREVER, NANOSECONDS);
                take(inner, random);
            }
        } catch (ClosedPollerException e) {
            return 1;
        }
    }

    /** Takes some of what is ready, in one of several ways. */
    private static void take(Poller inner, Random random) throws IOException {
        switch (random.nextInt(3)) {
            case 0 -> inner.await((member, events) -> ((Semaphore) member.attachment()).release(), 0, NANOSECONDS);
            case 1 -> Form.ITERABLE.awaitAtMost(1, inner, 0,
                    (member, events) -> ((Semaphore) member.attachment()).release());
            default -> {
                for (Ready ready : inner.await(0, NANOSECONDS)) {
                    ((Semaphore) ready.member().attachment()).release();
                    break;
                }
            }
        }
    }

    private static int arm(Poller poller, DatagramChannel channel, Random random) throws Exception {
        Semaphore reported = new Semaphore(0);
        Member member = poller.add(channel, POLLOUT | ONESHOT, reported);
        int rounds = 0;
        for (long end = System.nanoTime() + RACE; System.nanoTime() < end; rounds++) {
            assertTrue(reported.tryAcquire(20, TimeUnit.SECONDS), "lost after it was armed " + rounds + " times");
            switch (random.nextInt(4)) {
                case 0 -> member.enable();
                case 1 -> member.modify(POLLOUT | ONESHOT);
                case 2 -> {
                    member.disable();
                    poller.wakeup();
                    member.enable();
                }
                default -> {
                    member.remove();
                    member = poller.add(channel, POLLOUT | ONESHOT, reported);
                }
            }
        }
        return rounds;
    }
}
