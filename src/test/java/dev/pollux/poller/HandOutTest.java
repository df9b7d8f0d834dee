// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.Poller.Ready;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A ready member belongs to whoever comes next: a thread that is busy with one holds no other. */
class HandOutTest {

    private static final int THREADS = 8;

    @EachMechanism
    void whatIsReadyIsHandedToAsManyThreadsAsWaitForItByHandlers(PollerLab lab) throws Exception {
        assertMeet(lab, THREADS, Form.HANDLER);
    }

    @EachMechanism
    void whatIsReadyIsHandedToAsManyThreadsAsWaitForItByIterations(PollerLab lab) throws Exception {
        assertMeet(lab, THREADS, Form.ITERABLE);
    }

    @EachMechanism
    void whatIsReadyIsHandedToAsManyThreadsAsWaitForItByArraysOfOne(PollerLab lab) throws Exception {
        assertMeet(lab, THREADS, Form.ARRAYS);
    }

    @EachMechanism
    void whatOneThreadHasFoundIsHandedToThoseThatComeLaterByHandlers(PollerLab lab) throws Exception {
        assertMeet(lab, 1, Form.HANDLER);
    }

    @EachMechanism
    void whatOneThreadHasFoundIsHandedToThoseThatComeLaterByIterations(PollerLab lab) throws Exception {
        assertMeet(lab, 1, Form.ITERABLE);
    }

    @EachMechanism
    void whatOneThreadHasFoundIsHandedToThoseThatComeLaterByArraysOfOne(PollerLab lab) throws Exception {
        assertMeet(lab, 1, Form.ARRAYS);
    }

    /** Each thread is busy with its member until every member has been handed out. Arrays have room for one. */
    private static void assertMeet(PollerLab lab, int atFirst, Form form) throws Exception {
        Poller poller = lab.poller();
        List<Member> members = new ArrayList<>();
        List<Pipe> pipes = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            pipes.add(lab.pipe());
            members.add(poller.add(pipes.get(i).source(), POLLIN | ONESHOT));
        }
        CyclicBarrier all = new CyclicBarrier(THREADS);
        Set<Member> handedOut = ConcurrentHashMap.newKeySet();
        Poller.Handler handler = (member, events) -> {
            assertTrue(handedOut.add(member), "a one-shot member was given to two threads");
            meet(all);
        };
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < atFirst; i++) {
            jobs.add(lab.start(() -> awaitOne(form, poller, handler)));
            jobs.get(i).awaitSelecting();
        }
        for (Pipe pipe : pipes) {
            Io.feed(pipe);
        }
        if (atFirst < THREADS) {
            until(() -> all.getNumberWaiting() == atFirst);
        }
        for (int i = atFirst; i < THREADS; i++) {
            jobs.add(lab.start(() -> awaitOne(form, poller, handler)));
        }
        for (Job<Integer> job : jobs) {
            assertEquals(1, job.result());
        }
        assertEquals(Set.copyOf(members), handedOut);
    }

    private static int awaitOne(Form form, Poller poller, Poller.Handler handler) throws IOException {
        return form == Form.ARRAYS ? form.awaitAtMost(1, poller, Awaits.FOR_EVER, handler)
                : form.await(poller, Awaits.FOR_EVER, handler);
    }

    @EachMechanism
    void aThreadThatIsHeldUpDelaysNobodyElsesMembers(PollerLab lab) throws Exception {
        for (Form form : List.of(Form.HANDLER, Form.ITERABLE)) {
            Poller poller = lab.poller();
            Set<Member> members = ready(lab, poller, 6);
            CountDownLatch leave = new CountDownLatch(1);
            CountDownLatch isIn = new CountDownLatch(1);
            Set<Member> handedOut = ConcurrentHashMap.newKeySet();
            Job<Integer> slow = lab.start(() -> form.await(poller, Awaits.FOR_EVER, (member, events) -> {
                handedOut.add(member);
                isIn.countDown();
                await(leave);
            }));
            await(isIn);
            Job<Integer> other = lab.start(() -> form.await(poller, Awaits.FOR_EVER,
                    (member, events) -> assertTrue(handedOut.add(member))));
            assertEquals(5, other.result());
            assertEquals(members, handedOut);
            Member later = poller.add(lab.fedPipe().source(), POLLIN | ONESHOT);
            assertEquals(List.of(new Report(later, POLLIN)),
                    lab.start(() -> form.reports(poller, Awaits.FOR_EVER)).result());
            assertFalse(slow.isDone());
            leave.countDown();
            assertEquals(1, slow.result());
        }
    }

    @EachMechanism
    void aThreadThatBreaksOffItsIterationAndNeverComesBackHoldsNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> members = ready(lab, poller, 6);
        Set<Member> seen = new HashSet<>();
        Job<Member> leaving = lab.start(() -> {
            for (Ready ready : poller.await(Poller.FOREVER, NANOSECONDS)) {
                return ready.member();
            }
            throw new AssertionError("nothing was ready");
        });
        seen.add(leaving.result());
        assertEquals(5, Form.HANDLER.await(poller, 0, (member, events) -> assertTrue(seen.add(member))));
        assertEquals(members, seen);
    }

    @EachMechanism
    void aThreadThatIsBusyBetweenTwoStepsOfItsIterationHoldsNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> members = ready(lab, poller, 6);
        Set<Member> seen = new HashSet<>();
        Iterator<Ready> mine = poller.await(Poller.FOREVER, NANOSECONDS).iterator();
        seen.add(mine.next().member());
        Job<Member> one = lab.start(() -> poller.await(Poller.FOREVER, NANOSECONDS).iterator().next().member());
        seen.add(one.result());
        Job<List<Report>> three = lab.start(() -> {
            List<Report> reports = new ArrayList<>();
            Form.ITERABLE.awaitAtMost(3, poller, Awaits.FOR_EVER,
                    (member, events) -> reports.add(new Report(member, events)));
            return reports;
        });
        three.result().forEach(report -> seen.add(report.member()));
        assertEquals(5, seen.size());
        seen.add(mine.next().member());
        assertEquals(members, seen);
        assertFalse(mine.hasNext());
    }

    /** What hasNext has promised is this thread's, since hasNext can't take it back; its next await gives it away. */
    @EachMechanism
    void whatHasNextPromisedIsLeftToAnotherThreadByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> members = ready(lab, poller, 1);
        assertTrue(poller.await(Poller.FOREVER, NANOSECONDS).iterator().hasNext());
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        poller.await(new int[1], new short[1], 0, NANOSECONDS); // may be given it again, or leave it
        members.iterator().next().enable();
        assertEquals(1, job.result().size());
    }

    @EachMechanism
    void severalThreadsShareWhatOneCallOfTheSystemHasFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        CountDownLatch left = new CountDownLatch(2000);
        for (int i = 0; i < 40; i++) {
            poller.add(lab.datagram(), POLLOUT | ONESHOT);
        }
        List<Job<Integer>> jobs = new ArrayList<>();
        for (Form form : Form.values()) {
            jobs.add(lab.start(() -> {
                int n = 0;
                while (left.getCount() > 0) {
                    n += form.await(poller, Awaits.millis(20), (member, events) -> {
                        left.countDown();
                        member.enable();
                    });
                }
                return n;
            }));
        }
        await(left);
        for (Job<Integer> job : jobs) {
            job.result();
        }
    }

    /** One-shot members that are ready. */
    private static Set<Member> ready(PollerLab lab, Poller poller, int count) throws IOException {
        Set<Member> members = new HashSet<>();
        for (int i = 0; i < count; i++) {
            members.add(poller.add(lab.datagram(), POLLOUT | ONESHOT));
        }
        return members;
    }

    private interface Condition {
        boolean holds();
    }

    private static void until(Condition condition) throws InterruptedException {
        for (long end = System.nanoTime() + Awaits.PATIENCE; !condition.holds();) {
            assertTrue(System.nanoTime() < end, "waited in vain");
            Thread.sleep(1);
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new AssertionError("the other members were not handed out", e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS), "waited in vain");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
