// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Loop;
import dev.pollux.lab.Loop.Wait;
import dev.pollux.lab.LoopLab;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** {@code close}. */
class ClosingTest {

    private static final long RACE = TimeUnit.MILLISECONDS.toNanos(500);

    @EachLoop
    void aClosedLoopSaysSoAndCanBeClosedAgain(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.close();
        assertFalse(loop.isOpen());
        assertDoesNotThrow(loop::close);
        assertFalse(loop.isOpen());
    }

    @EachLoop
    void everyWaitOfAClosedLoopThrows(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.close();
        for (Wait wait : loop.waits()) {
            for (long millis : new long[] {Loop.FOREVER, 0, 1}) {
                assertThrows(loop.closedException(), () -> wait.await(millis));
            }
        }
    }

    @EachLoop
    void aWakeupOfAClosedLoopReachesNoOther(LoopLab lab) throws Exception {
        Loop closed = lab.loop();
        closed.close();
        Loop other = lab.loop(); // which may have got its descriptors
        assertDoesNotThrow(closed::wakeup);
        assertFalse(closed.isOpen());
        other.assertSleeps();
    }

    @EachLoop
    void closingEndsAWaitInAnotherThread(LoopLab lab) throws Exception {
        for (int i = 0; i < lab.loop().waits().size(); i++) {
            for (long millis : new long[] {Loop.FOREVER, TimeUnit.HOURS.toMillis(1)}) {
                Loop loop = lab.loop();
                loop.watch(lab.pipe().source());
                Wait wait = loop.waits().get(i);
                Job<Integer> job = lab.start(() -> wait.await(millis));
                job.awaitSelecting();
                loop.close();
                assertEnds(loop, job::result);
            }
        }
    }

    /** That of a selector may return or throw, by its specification. */
    static void assertEnds(Loop closed, Callable<Integer> result) throws Exception {
        try {
            assertEquals(0, result.call());
        } catch (ExecutionException e) {
            assertInstanceOf(closed.closedException(), e.getCause());
        }
    }

    @EachLoop
    void closingGivesEveryDescriptorBack(LoopLab lab) throws Exception {
        Loop other = lab.loop();
        DatagramChannel channel = lab.datagram();
        int before = Descriptors.count();
        Loop loop = lab.loop();
        loop.watch(channel);
        loop.await(0);
        loop.close();
        assertEquals(before, Descriptors.count());
        assertTrue(other.isOpen());
    }

    @EachLoop
    void theChannelsStayOpenForAnotherLoop(LoopLab lab) throws Exception {
        Loop first = lab.loop();
        Connection connection = lab.tcp();
        first.watch(connection.near());
        Io.send(connection.far());
        assertEquals(1, first.await());
        first.close();
        assertTrue(connection.near().isOpen());
        Loop second = lab.loop();
        second.watch(connection.near());
        assertEquals(1, second.await());
    }

    @EachLoop
    @Tag("load")
    void manyThreadsCanCloseOneLoop(LoopLab lab) throws Exception {
        long end = System.nanoTime() + RACE;
        Pipe pipe = lab.pipe();
        while (System.nanoTime() < end) {
            int before = Descriptors.count();
            Loop loop = lab.open();
            loop.watch(pipe.source());
            loop.await(0);
            List<Job<Boolean>> jobs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                jobs.add(lab.start(() -> {
                    loop.wakeup();
                    loop.close();
                    return loop.isOpen();
                }));
            }
            for (Job<Boolean> job : jobs) {
                assertFalse(job.result());
            }
            assertFalse(pipe.source().isRegistered());
            assertEquals(before, Descriptors.count());
        }
    }
}
