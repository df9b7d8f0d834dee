// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.EDGE;
import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.Poller.Ready;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/**
 * Threads that await and do whatever they must not lose anything by: they throw from handlers, break off iterations,
 * ask for one member only, have no time, are interrupted and woken, and await inside of handlers.
 */
@Tag("load")
class HostileThreadsTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(2);
    private static final int CHANGERS = 3;

    private final Map<Integer, Semaphore> reported = new ConcurrentHashMap<>();

    /** One await that ends as it likes. */
    private interface Awaiting {
        void once(Poller poller, Random random) throws IOException;
    }

    @EachMechanism
    void everyOneShotMemberThatIsArmedIsReportedOnce(PollerLab lab) throws Exception {
        race(lab, ONESHOT);
    }

    @EachMechanism
    void everyOneShotEdgeThatIsArmedIsReportedOnce(PollerLab lab) throws Exception {
        race(lab, lab.poller().supports(EDGE) ? ONESHOT | EDGE : ONESHOT);
    }

    private void race(PollerLab lab, int how) throws Exception {
        Poller poller = lab.poller();
        List<Job<Long>> awaiting = new ArrayList<>();
        for (Awaiting kind : List.<Awaiting>of(this::intoArraysWithoutRoom, this::throwing, this::breakingOff,
                this::nesting, this::oneByOne)) {
            Random random = new Random(awaiting.size());
            awaiting.add(lab.start(() -> untilClosed(poller, kind, random)));
        }
        List<Job<Integer>> changing = new ArrayList<>();
        for (int i = 0; i < CHANGERS; i++) {
            Random random = new Random(i);
            DatagramChannel channel = lab.datagram();
            changing.add(lab.start(() -> arm(poller, channel, POLLOUT | how, random)));
        }
        Random random = new Random(99);
        while (!changing.stream().allMatch(Job::isDone)) {
            poller.wakeup();
            awaiting.get(random.nextInt(awaiting.size())).interrupt();
            TimeUnit.MICROSECONDS.sleep(random.nextInt(500));
        }
        poller.close();
        for (Job<Integer> job : changing) {
            assertTrue(job.result() > 0);
        }
        for (Job<Long> job : awaiting) {
            assertTrue(job.result() > 0);
        }
    }

    /** Arms a member that is ready, in one of several ways, waits for the report, and expects that there is but one. */
    private int arm(Poller poller, DatagramChannel channel, int events, Random random) throws Exception {
        Semaphore mine = new Semaphore(0);
        int descriptor = Descriptors.numberOf(channel);
        reported.put(descriptor, mine);
        Member member = poller.add(channel, events);
        int rounds = 0;
        for (long end = System.nanoTime() + RACE; System.nanoTime() < end; rounds++) {
            assertTrue(mine.tryAcquire(20, TimeUnit.SECONDS), "a member that was armed " + rounds + " times was lost");
            assertEquals(0, mine.availablePermits(), "a member was reported twice");
            switch (random.nextInt(4)) {
                case 0 -> member.enable();
                case 1 -> member.modify(events);
                case 2 -> {
                    member.disable();
                    member.enable();
                }
                default -> {
                    member.remove();
                    member = poller.add(channel, events);
                }
            }
        }
        return rounds;
    }

    private static long untilClosed(Poller poller, Awaiting kind, Random random) throws IOException {
        for (long awaits = 0; ; awaits++) {
            try {
                kind.once(poller, random);
            } catch (ClosedPollerException e) {
                return awaits;
            } catch (IllegalArgumentException e) {
                assertEquals("the handler's own", e.getMessage());
            }
            Thread.interrupted();
        }
    }

    private void intoArraysWithoutRoom(Poller poller, Random random) throws IOException {
        int[] descriptors = new int[1];
        if (poller.await(descriptors, new short[1], random.nextInt(100_000), NANOSECONDS) == 1) {
            reported.get(descriptors[0]).release();
        }
    }

    private void throwing(Poller poller, Random random) throws IOException {
        poller.await((member, events) -> {
            reported.get(member.descriptor()).release();
            if (random.nextBoolean()) {
                throw new IllegalArgumentException("the handler's own");
            }
        });
    }

    private void oneByOne(Poller poller, Random random) throws IOException {
        Form.LIMITED.get(random.nextInt(2)).awaitAtMost(1, poller, random.nextInt(1_000_000),
                (member, events) -> reported.get(member.descriptor()).release());
    }

    private void breakingOff(Poller poller, Random random) throws IOException {
        int most = random.nextInt(3);
        for (Ready ready : poller.await(random.nextInt(1_000_000), NANOSECONDS)) {
            reported.get(ready.member().descriptor()).release();
            if (most-- == 0) {
                break;
            }
        }
    }

    private void nesting(Poller poller, Random random) throws IOException {
        poller.await((member, events) -> {
            reported.get(member.descriptor()).release();
            Form.values()[random.nextInt(3)].await(poller, random.nextInt(20_000),
                    (inner, innerEvents) -> reported.get(inner.descriptor()).release());
        });
    }
}
