// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;

/** Timeouts that mean something else to a selector than to a Poller. */
class TimeoutTest {

    @EachProvider
    void aNegativeTimeoutIsRefused(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertThrows(IllegalArgumentException.class, () -> selector.select(-1));
        assertThrows(IllegalArgumentException.class, () -> selector.select(Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> { }, -1));
    }

    @EachProvider
    void aTimeoutOfZeroWaitsForEver(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> job = lab.start(() -> selector.select(0));
        job.awaitSelecting();
        Thread.sleep(100);
        assertTrue(!job.isDone());
        Io.feed(pipe);
        assertEquals(1, job.result());
    }
}
