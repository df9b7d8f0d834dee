// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
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

/** Wakeups that several threads pass on, and interrupts beside a one-shot event. */
class WakeupTest {

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
