// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;

/** A Poller that was closed. */
class UseAfterCloseTest {

    @EachMechanism
    void everyCallAfterCloseIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member member = poller.add(channel, POLLIN);
        int descriptor = member.descriptor();
        poller.close();
        List<Executable> calls = List.of(
                () -> poller.add(channel, POLLIN), () -> poller.add(channel, POLLIN, "attachment"),
                () -> poller.add(descriptor, POLLIN), () -> poller.add(descriptor, POLLIN, "attachment"),
                () -> member.modify(POLLOUT), member::enable, member::disable,
                () -> poller.find(channel), () -> poller.find(descriptor),
                () -> poller.isMember(channel), () -> poller.isMember(descriptor), poller::size, poller::descriptor,
                () -> poller.await((ready, events) -> { }));
        for (int i = 0; i < calls.size(); i++) {
            assertThrows(ClosedPollerException.class, calls.get(i), "call " + i);
        }
    }

    @EachMechanism
    void closingEndsEveryAwaitInProgress(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        List<Job<Integer>> jobs = new ArrayList<>();
        for (Form form : Form.values()) {
            jobs.add(lab.start(() -> form.await(poller, Awaits.FOR_EVER)));
            jobs.add(lab.start(() -> form.await(poller, TimeUnit.HOURS.toNanos(1))));
        }
        for (Job<Integer> job : jobs) {
            job.awaitSelecting();
        }
        poller.close();
        for (Job<Integer> job : jobs) {
            ExecutionException thrown = assertThrows(ExecutionException.class, job::result);
            assertEquals(ClosedPollerException.class, thrown.getCause().getClass());
        }
    }

    @Tag("load")
    @EachMechanism
    void closingRacesWithEveryOtherCall(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.datagram();
        for (int i = 0; i < 150; i++) {
            Poller poller = lab.poller();
            List<Job<Boolean>> jobs = List.of(
                    lab.start(() -> untilClosed(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER))),
                    lab.start(() -> untilClosed(() -> Form.ARRAYS.await(poller, 10_000))),
                    lab.start(() -> untilClosed(() -> {
                        Member member = poller.add(channel, POLLOUT);
                        member.modify(POLLIN);
                        member.disable();
                        member.remove();
                    })),
                    lab.start(() -> {
                        while (poller.isOpen()) {
                            poller.wakeup();
                        }
                        return true;
                    }));
            TimeUnit.MICROSECONDS.sleep(i * 20L);
            poller.close();
            for (Job<Boolean> job : jobs) {
                assertTrue(job.result());
            }
        }
    }

    private static boolean untilClosed(Io.Step step) throws Exception {
        while (true) {
            try {
                step.run();
            } catch (ClosedPollerException e) {
                return true;
            }
        }
    }
}
