// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Wakeups and interrupts. */
class WakeupTest {

    @EachMechanism
    void aWakeupEndsAnAwaitOfEveryForm(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        for (Form form : Form.values()) {
            Job<List<Report>> job = lab.start(() -> form.reports(poller, Awaits.FOR_EVER));
            job.awaitSelecting();
            poller.wakeup();
            assertEquals(List.of(), job.result());
        }
    }

    @EachMechanism
    void aWakeupBeforeAnAwaitEndsIt(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (Form form : Form.values()) {
            poller.wakeup();
            assertEquals(0, form.await(poller, Awaits.FOR_EVER));
        }
    }

    @EachMechanism
    void aWakeupEndsOneAwaitOnly(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.wakeup();
        assertEquals(0, Awaits.poll(poller));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void manyWakeupsAreOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 1000; i++) {
            poller.wakeup();
        }
        assertEquals(0, Form.HANDLER.await(poller, Awaits.FOR_EVER));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void anAwaitThatWasWokenBeforeStillReportsWhatIsReady(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT);
        for (int i = 0; i < 20; i++) {
            poller.wakeup();
            assertEquals(1, Form.HANDLER.await(poller, Awaits.FOR_EVER), "a wakeup hides what is ready");
        }
    }

    @EachMechanism
    void aWakeupFromAHandlerEndsTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT | ONESHOT);
        assertEquals(1, poller.await((member, events) -> poller.wakeup()));
        assertEquals(0, Form.HANDLER.await(poller, Awaits.FOR_EVER));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void threadsThatWakeEachOtherAllEnd(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        AtomicBoolean ending = new AtomicBoolean();
        List<Job<Boolean>> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(lab.start(() -> {
                while (!ending.get()) {
                    poller.await((member, events) -> { });
                }
                poller.wakeup();
                return true;
            }));
        }
        for (Job<Boolean> job : jobs) {
            Awaits.assertGoesOn(job);
        }
        ending.set(true);
        poller.wakeup();
        for (Job<Boolean> job : jobs) {
            assertTrue(job.result());
        }
        assertEquals(0, Form.HANDLER.await(poller, Awaits.FOR_EVER), "the last wakeup is left over");
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void noWakeupIsLostInARace(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        AtomicInteger ended = new AtomicInteger();
        int rounds = 3000;
        Job<Integer> job = lab.start(() -> {
            while (ended.get() < rounds) {
                assertEquals(0, Form.HANDLER.await(poller, Awaits.FOR_EVER));
                ended.incrementAndGet();
            }
            return ended.get();
        });
        for (int i = 0; i < rounds; i++) {
            poller.wakeup();
            while (ended.get() <= i) { // each ends an await, at the latest the next
                Thread.onSpinWait();
            }
        }
        assertEquals(rounds, job.result());
    }

    @EachMechanism
    void anInterruptEndsAnAwaitOfEveryFormAndTheStatusStays(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        for (Form form : Form.values()) {
            Job<Boolean> job = lab.start(() -> {
                assertEquals(0, form.await(poller, Awaits.FOR_EVER));
                return Thread.currentThread().isInterrupted();
            });
            job.awaitSelecting();
            job.interrupt();
            assertTrue(job.result());
        }
        assertTrue(poller.isOpen());
    }

    @EachMechanism
    void anAwaitOfAnInterruptedThreadReturnsAtOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<Integer> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            for (Form form : Form.values()) {
                assertEquals(0, form.await(poller, Awaits.FOR_EVER));
                assertTrue(Thread.currentThread().isInterrupted());
            }
            return 0;
        });
        assertEquals(0, job.result());
    }

    @EachMechanism
    void anInterruptedThreadLeavesNoWakeupBehind(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 50; i++) {
            Job<Integer> job = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
            if (i % 2 == 0) {
                job.awaitSelecting();
            }
            job.interrupt();
            assertEquals(0, job.result());
        }
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void anInterruptDoesNotLoseAnEvent(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), POLLIN | ONESHOT);
        for (int i = 0; i < 300; i++) {
            Job<Integer> job = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
            Io.feed(pipe);
            job.interrupt();
            if (job.result() == 0) {
                assertEquals(1, Awaits.reports(poller).size(), "the event that the interrupted thread left");
            }
            Io.drain(pipe.source());
            member.enable();
            assertEquals(0, Awaits.poll(poller));
        }
    }
}
