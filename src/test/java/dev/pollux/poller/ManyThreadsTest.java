// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** Several threads in await on one Poller. */
@Tag("load")
class ManyThreadsTest {

    @EachMechanism
    void oneEventEndsOneAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), POLLIN | ONESHOT);
        List<Job<Integer>> jobs = awaiting(lab, poller, 3);
        Io.feed(pipe);
        assertEnd(jobs, 1);
        member.enable();
        assertEnd(jobs, 2);
        member.enable();
        assertEnd(jobs, 3);
    }

    @EachMechanism
    void oneWakeupEndsOneAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Job<Integer>> jobs = awaiting(lab, poller, 3);
        for (int i = 1; i <= 3; i++) {
            poller.wakeup();
            assertEnd(jobs, i);
        }
    }

    @EachMechanism
    void whatDoesNotFitIntoTheArraysOfOneThreadIsHandedToAnother(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(lab.start(() -> {
                int[] descriptors = new int[1];
                assertEquals(1, poller.await(descriptors, new short[1], Poller.FOREVER, NANOSECONDS));
                return descriptors[0];
            }));
            jobs.get(i).awaitSelecting();
        }
        Set<Integer> expected = new TreeSet<>();
        for (int i = 0; i < 4; i++) {
            expected.add(poller.add(lab.datagram(), POLLOUT | ONESHOT).descriptor());
        }
        Set<Integer> seen = new TreeSet<>();
        for (Job<Integer> job : jobs) {
            seen.add(job.result());
        }
        assertEquals(expected, seen);
    }

    @EachMechanism
    void aThreadThatIsInItsHandlerKeepsNewEventsFromNobody(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe first = lab.pipe();
        Pipe second = lab.pipe();
        poller.add(first.source(), POLLIN | ONESHOT);
        Member other = poller.add(second.source(), POLLIN | ONESHOT);
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Job<Integer> slow = lab.start(() -> poller.await((member, events) -> {
            inHandler.countDown();
            pause(leave);
        }));
        slow.awaitSelecting();
        Io.feed(first);
        assertTrue(inHandler.await(20, TimeUnit.SECONDS));
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        Io.feed(second);
        assertEquals(List.of(new Report(other, POLLIN)), job.result());
        assertFalse(slow.isDone());
        leave.countDown();
        assertEquals(1, slow.result());
    }

    @EachMechanism
    void twoThreadsAreInTheirHandlersAtTheSameTime(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        CountDownLatch leave = new CountDownLatch(2);
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 2; i++) { // each waits in its handler until the other is in its own as well
            jobs.add(lab.start(() -> poller.await((member, events) -> {
                leave.countDown();
                pause(leave);
            })));
            jobs.get(i).awaitSelecting();
        }
        List<Pipe> pipes = List.of(lab.fedPipe(), lab.fedPipe());
        for (Pipe pipe : pipes) {
            poller.add(pipe.source(), POLLIN | ONESHOT);
        }
        assertEquals(2, jobs.get(0).result() + jobs.get(1).result());
    }

    @EachMechanism
    void whenTheFirstThreadLeavesAnotherTakesItsPlace(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        Job<Integer> first = lab.start(() -> Form.HANDLER.await(poller, Awaits.millis(1500)));
        first.awaitSelecting();
        Job<Integer> second = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        second.awaitSelecting();
        assertEquals(0, first.result());
        Awaits.assertGoesOn(second);
        Io.feed(pipe);
        assertEquals(1, second.result());
    }

    @EachMechanism
    void whenTheFirstThreadIsInterruptedAnotherTakesItsPlace(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        List<Job<Integer>> jobs = awaiting(lab, poller, 3);
        for (int i = 0; i < 2; i++) {
            jobs.get(i).interrupt();
            assertEquals(0, jobs.get(i).result());
            Awaits.assertGoesOn(jobs.get(2));
        }
        Io.feed(pipe);
        assertEquals(1, jobs.get(2).result());
    }

    @EachMechanism
    void aThreadThatWaitsBehindAnotherKeepsItsTimeout(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<Integer> first = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        first.awaitSelecting();
        for (Form form : Form.values()) {
            for (long timeout : new long[] {1000, 1_000_000, 30_000_000}) {
                long nanos = Io.nanosOf(() -> assertEquals(0, form.await(poller, timeout)));
                assertTrue(nanos >= timeout, timeout + " ns took " + nanos + " ns");
            }
        }
        assertFalse(first.isDone());
    }

    @EachMechanism
    void aThreadThatWaitsBehindAnotherIsInterrupted(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Job<Integer>> jobs = awaiting(lab, poller, 3);
        jobs.get(2).interrupt();
        assertEquals(0, jobs.get(2).result());
        Awaits.assertGoesOn(jobs.get(0));
        assertFalse(jobs.get(1).isDone());
    }

    @EachMechanism
    void aPollByOneThreadDoesNotWaitForAnother(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        Job<Integer> waiting = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        waiting.awaitSelecting();
        for (int i = 0; i < 100; i++) {
            for (Form form : Form.values()) {
                assertEquals(0, form.await(poller, 0));
            }
        }
        assertFalse(waiting.isDone());
    }

    @EachMechanism
    void ofHundredOneShotMembersEachIsHandledOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        ConcurrentLinkedQueue<Member> handled = new ConcurrentLinkedQueue<>();
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            members.add(poller.add(lab.datagram(), POLLOUT | ONESHOT));
            members.get(i).disable();
        }
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(lab.start(() -> {
                int awaits = 0;
                while (handled.size() < 100) {
                    poller.await((member, events) -> handled.add(member), 20, MILLISECONDS);
                    awaits++;
                }
                return awaits;
            }));
        }
        for (Member member : members) {
            member.enable();
        }
        for (Job<Integer> job : jobs) {
            job.result();
        }
        assertEquals(0, Awaits.poll(poller));
        assertEquals(100, handled.size());
        assertEquals(100, new HashSet<>(handled).size());
    }

    /** Threads that await, the first of them first. */
    private static List<Job<Integer>> awaiting(PollerLab lab, Poller poller, int count) throws Exception {
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Form form = Form.values()[i % 3];
            jobs.add(lab.start(() -> form.await(poller, Awaits.FOR_EVER)));
            jobs.get(i).awaitSelecting();
        }
        return jobs;
    }

    private static void assertEnd(List<Job<Integer>> jobs, int expected) throws Exception {
        long deadline = System.nanoTime() + Awaits.PATIENCE;
        while (ended(jobs) < expected && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        Thread.sleep(60);
        assertEquals(expected, ended(jobs), "awaits that have ended");
    }

    private static long ended(List<Job<Integer>> jobs) {
        return jobs.stream().filter(Job::isDone).count();
    }

    private static void pause(CountDownLatch until) {
        try {
            assertTrue(until.await(20, TimeUnit.SECONDS), "nobody else was given anything");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
