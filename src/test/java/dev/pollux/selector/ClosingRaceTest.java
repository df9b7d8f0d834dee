// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** Selectors that are closed while other threads use them. */
@Tag("load")
class ClosingRaceTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);

    @EachProvider
    void aSelectorCanBeClosedWhileOthersUseIt(Lab lab) throws Exception {
        long end = System.nanoTime() + RACE;
        Pipe pipe = lab.pipe();
        DatagramChannel channel = lab.datagram();
        for (int round = 0; System.nanoTime() < end; round++) {
            Selector selector = lab.provider().openSelector();
            SelectionKey key = pipe.source().register(selector, OP_READ);
            List<Job<Boolean>> jobs = new ArrayList<>();
            jobs.add(lab.start(() -> closedEventually(selector::select)));
            jobs.add(lab.start(() -> closedEventually(() -> {
                selector.wakeup();
                selector.keys();
            })));
            jobs.add(lab.start(() -> closedEventually(() -> channel.register(selector, OP_READ))));
            jobs.add(lab.start(() -> cancelledEventually(() -> key.interestOps(key.interestOps() ^ OP_READ))));
            jobs.add(lab.start(() -> cancelledEventually(() -> keyOf(pipe.source(), selector).interestOps(OP_READ))));
            TimeUnit.MICROSECONDS.sleep(300L * (round % 7));
            selector.close();
            for (Job<Boolean> job : jobs) {
                assertTrue(job.result());
            }
            assertFalse(pipe.source().isRegistered());
            assertFalse(channel.isRegistered());
        }
    }

    /** Repeats a step until it says that its selector was closed. */
    private static boolean closedEventually(Io.Step step) throws Exception {
        while (true) {
            try {
                step.run();
            } catch (ClosedSelectorException e) {
                return true;
            }
        }
    }

    /** Repeats a step until it says that its key was cancelled: what a key's methods are specified to throw. */
    private static boolean cancelledEventually(Io.Step step) throws Exception {
        while (true) {
            try {
                step.run();
            } catch (CancelledKeyException e) {
                return true;
            }
        }
    }

    private static SelectionKey keyOf(SelectableChannel channel, Selector selector) {
        SelectionKey key = channel.keyFor(selector);
        if (key == null) {
            throw new CancelledKeyException(); // it is registered no more
        }
        return key;
    }
}
