// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Loop;
import dev.pollux.lab.Loop.Wait;
import dev.pollux.lab.LoopLab;
import java.nio.channels.Pipe;

/** Wakeups, from one thread at a time. */
class WakeupTest {

    @EachLoop
    void aWakeupBeforeAWaitEndsItAtOnce(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.tcp().near());
        for (Wait wait : loop.waits()) {
            for (long millis : new long[] {Loop.FOREVER, 30_000}) {
                loop.wakeup();
                assertEquals(0, wait.await(millis));
            }
        }
    }

    @EachLoop
    void aWakeupEndsAWaitInProgress(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.pipe().source());
        for (Wait wait : loop.waits()) {
            for (long millis : new long[] {Loop.FOREVER, Long.MAX_VALUE}) {
                Job<Integer> job = lab.start(() -> wait.await(millis));
                job.awaitSelecting();
                loop.wakeup();
                assertEquals(0, job.result());
            }
        }
    }

    @EachLoop
    void aWakeupIsUsedUpByTheWaitItEnds(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Job<Integer> job = lab.start(loop::await);
        job.awaitSelecting();
        loop.wakeup();
        assertEquals(0, job.result());
        loop.assertSleeps();
    }

    @EachLoop
    void severalWakeupsBetweenWaitsAreOne(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        for (int i = 0; i < 1000; i++) {
            loop.wakeup();
        }
        assertEquals(0, loop.await());
        loop.assertSleeps();
    }

    @EachLoop
    void severalWakeupsDuringAWaitLeaveAtMostOneBehind(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Job<Integer> job = lab.start(loop::await);
        job.awaitSelecting();
        for (int i = 0; i < 100; i++) {
            loop.wakeup();
        }
        assertEquals(0, job.result());
        loop.await(150);
        loop.assertSleeps();
    }

    @EachLoop
    void aWaitThatOnlyLooksUsesAWakeupUp(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        for (Wait wait : loop.waits()) {
            loop.wakeup();
            assertEquals(0, wait.await(0));
            loop.assertSleeps();
        }
    }

    @EachLoop
    void aWaitThatWasWokenBeforeStillReportsWhatIsReady(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        Io.feed(pipe);
        for (Wait wait : loop.waits()) {
            for (int i = 0; i < 20; i++) {
                loop.wakeup();
                assertEquals(1, wait.await(Loop.FOREVER), "a wakeup hides what is ready");
            }
        }
        Io.drain(pipe.source());
        loop.assertSleeps();
    }

    @EachLoop
    void aWakeupFromAnActionEndsTheNextWait(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        for (Wait wait : loop.waits()) {
            Io.feed(pipe);
            assertEquals(1, wait.await(Loop.FOREVER, loop::wakeup));
            Io.drain(pipe.source());
            assertEquals(0, wait.await(Loop.FOREVER));
            loop.assertSleeps();
        }
    }

    @EachLoop
    void whatWasWrittenBeforeAWakeupIsSeenAfterTheWait(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        int rounds = 2000;
        int[] plain = new int[1];
        Job<Void> job = lab.start(() -> {
            for (int i = 1; i <= rounds; i++) {
                plain[0] = i;
                loop.wakeup();
            }
            return null;
        });
        int seen = 0;
        while (seen < rounds) {
            loop.await();
            assertTrue(plain[0] >= seen, "a plain write went backwards");
            seen = plain[0];
        }
        job.result();
        assertEquals(rounds, plain[0]);
    }

    @EachLoop
    void wakingOneLoopLeavesAnotherAlone(LoopLab lab) throws Exception {
        Loop one = lab.loop();
        Loop two = lab.loop();
        one.wakeup();
        two.assertSleeps();
        assertEquals(0, one.await());
    }
}
