// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.example.SlowLoop;
import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;

/** A handler of a Poller's loop that blocks is said in the log while it does so. */
class BlockedLoopTest {
    private static final long LONG_SECONDS = 20;

    /** Awaits until the Poller is closed. */
    private interface Serving {
        void run(SlowLoop loop, Poller poller) throws IOException;
    }

    @EachMechanism
    void isSaidInTheHandlerOfAnAwait(PollerLab lab) throws Exception {
        isSaid(lab, SlowLoop::act);
    }

    @EachMechanism
    void isSaidInALoopOverAnIterable(PollerLab lab) throws Exception {
        isSaid(lab, SlowLoop::iterate);
    }

    /** Another member than the one whose handler blocks is ready meanwhile. */
    private static void isSaid(PollerLab lab, Serving serving) throws Exception {
        assumeTrue(lab.isEPoll() || lab.isKQueue(), "whether there are events can't be told");
        Poller poller = lab.poller();
        Connection blocking = lab.tcp();
        Connection other = lab.tcp();
        poller.add(blocking.near(), Poller.POLLIN, blocking.near());
        poller.add(other.near(), Poller.POLLIN);
        SlowLoop slow = new SlowLoop();
        try (Warnings warnings = new Warnings()) {
            Job<Void> loop = lab.start(() -> {
                serving.run(slow, poller);
                return null;
            });
            loop.awaitSelecting();
            Io.send(blocking.far());
            assertTrue(slow.awaitBlocking());
            Io.send(other.far());
            warnings.await(LONG_SECONDS, "is blocked: it has not returned to its wait for ");
            slow.release();
            warnings.await(LONG_SECONDS, " goes on: it was blocked for ");
            poller.close();
            loop.result();
        } finally {
            slow.release();
        }
    }
}
