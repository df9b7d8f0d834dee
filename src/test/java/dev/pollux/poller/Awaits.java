// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the tests of the Poller ask again and again. */
final class Awaits {

    static final long FOR_EVER = Poller.FOREVER;

    /** Long enough for whatever should end an await to do so. */
    static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    /** How long a test looks whether something happens that should not. */
    private static final long WAIT = 200;

    private Awaits() {
    }

    static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** What is ready, waiting for it if need be. */
    static List<Report> reports(Poller poller) throws IOException {
        return Form.HANDLER.reports(poller, PATIENCE);
    }

    /** The one member that is ready. */
    static Report only(Poller poller) throws IOException {
        List<Report> reports = reports(poller);
        assertEquals(1, reports.size(), reports.toString());
        return reports.get(0);
    }

    /** How many are ready, without waiting. */
    static int poll(Poller poller) throws IOException {
        return Form.HANDLER.await(poller, 0);
    }

    /** An await finds nothing, waits its full time, and does so asleep. */
    static void assertSleeps(Poller poller) throws Exception {
        Io.assertSleeps(millis -> Form.HANDLER.await(poller, millis(millis)), WAIT);
    }

    /** The job goes on. */
    static void assertGoesOn(Job<?> job) throws Exception {
        Thread.sleep(WAIT / 2);
        if (job.isDone()) {
            throw new AssertionError("a thread ended that should go on, with " + job.result());
        }
    }
}
