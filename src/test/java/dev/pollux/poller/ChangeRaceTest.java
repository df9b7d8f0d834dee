// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;

/** Many threads that change members while others await: whatever a change asks for happens. */
@Tag("load")
class ChangeRaceTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);
    private static final int CHANGERS = 3;

    /** A change: told of its turn, its channel, and what is released when the channel is reported. */
    private interface Change {
        void run(Poller poller, DatagramChannel channel, Semaphore reported) throws Exception;
    }

    @EachMechanism
    void everyMemberThatIsAddedIsReported(PollerLab lab) throws Exception {
        race(lab, 1, (poller, channel, reported) -> {
            Member member = poller.add(channel, POLLOUT | ONESHOT, reported);
            await(reported);
            member.remove();
        });
    }

    @EachMechanism
    void everyMemberThatIsAddedIsReportedToOneOfSeveralThreads(PollerLab lab) throws Exception {
        race(lab, 3, (poller, channel, reported) -> {
            Member member = poller.add(channel, POLLOUT | ONESHOT, reported);
            await(reported);
            member.remove();
        });
    }

    @EachMechanism
    void everyModificationIsInForce(PollerLab lab) throws Exception {
        race(lab, 2, (poller, channel, reported) -> {
            Member there = poller.find(channel);
            Member member = there != null ? there : poller.add(channel, POLLIN, reported);
            member.modify(POLLIN | ONESHOT);
            member.modify(POLLOUT | ONESHOT);
            await(reported);
        });
    }

    @EachMechanism
    void everyMemberThatIsEnabledIsReportedAgain(PollerLab lab) throws Exception {
        race(lab, 2, (poller, channel, reported) -> {
            Member member = poller.find(channel);
            if (member != null) {
                member.enable();
            } else {
                poller.add(channel, POLLOUT | ONESHOT, reported);
            }
            await(reported);
        });
    }

    @EachMechanism
    void whatAThreadAddsIsNotTakenForWhatAnotherRemoved(PollerLab lab) throws Exception {
        PollerLab.needsServerThatSurvivesClosing();
        race(lab, 2, (poller, channel, reported) -> {
            try (DatagramChannel old = lab.provider().openDatagramChannel()) {
                poller.add(old, POLLOUT, new Semaphore(0)).remove();
            }
            try (DatagramChannel fresh = lab.provider().openDatagramChannel()) { // often under the same number
                Member member = poller.add(fresh, POLLIN, reported);
                Thread.yield();
                member.remove();
            }
            assertEquals(0, reported.availablePermits(), "a channel with nothing to read was reported");
        });
    }

    @EachMechanism
    void whatAThreadAddsIsNotTakenForWhatAnotherClosed(PollerLab lab) throws Exception {
        PollerLab.needsServerThatSurvivesClosing();
        race(lab, 2, (poller, channel, reported) -> {
            try (DatagramChannel old = lab.provider().openDatagramChannel()) {
                poller.add(old, POLLOUT, new Closed()); // and is not removed
            }
            try (DatagramChannel fresh = lab.provider().openDatagramChannel()) {
                Member member = poller.add(fresh, POLLIN, reported);
                Thread.yield();
                member.remove();
            }
            assertEquals(0, reported.availablePermits(), "a channel with nothing to read was reported");
        });
    }

    /** The attachment of what is closed without being removed: of that anything may be reported. */
    private static final class Closed extends Semaphore {
        private static final long serialVersionUID = 1L;

        Closed() {
            super(0);
        }
    }

    /** Has some threads make changes for a while, and others await meanwhile. */
    private static void race(PollerLab lab, int awaiters, Change change) throws Exception {
        Poller poller = lab.poller();
        AtomicReference<String> wrong = new AtomicReference<>();
        List<Job<Integer>> awaiting = new ArrayList<>();
        for (int i = 0; i < awaiters; i++) {
            awaiting.add(lab.start(() -> releaseUntilClosed(poller, wrong)));
        }
        List<Job<Integer>> changing = new ArrayList<>();
        for (int i = 0; i < CHANGERS; i++) {
            changing.add(lab.start(changing(poller, lab.datagram(), change)));
        }
        for (Job<Integer> job : changing) {
            assertTrue(job.result() > 0);
        }
        poller.close();
        for (Job<Integer> job : awaiting) {
            job.result();
        }
        assertEquals(null, wrong.get());
    }

    private static Callable<Integer> changing(Poller poller, DatagramChannel channel, Change change) {
        return () -> {
            Semaphore reported = new Semaphore(0);
            int rounds = 0;
            for (long end = System.nanoTime() + RACE; System.nanoTime() < end; rounds++) {
                change.run(poller, channel, reported);
            }
            return rounds;
        };
    }

    private static int releaseUntilClosed(Poller poller, AtomicReference<String> wrong) throws IOException {
        try {
            while (true) {
                poller.await((member, events) -> {
                    Semaphore reported = (Semaphore) member.attachment();
                    if ((events & ~(POLLIN | POLLOUT)) != 0 && !(reported instanceof Closed)) {
                        wrong.set(member + " reported 0x" + Integer.toHexString(events));
                    }
                    reported.release();
                });
            }
        } catch (ClosedPollerException e) {
            return 0;
        }
    }

    private static void await(Semaphore reported) throws InterruptedException {
        assertTrue(reported.tryAcquire(20, TimeUnit.SECONDS), "a member that is ready was not reported");
    }
}
