// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.SignalStorm;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** Signals that interrupt the waiting system call, as profilers send them. */
class SignalTest {

    @EachProvider
    @Tag("beyond-jdk")
    void aTimeoutHoldsUnderAStormOfSignals(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_READ);
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(500)));
            long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
            assertTrue(storm.isRaging());
            assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(500), "returned early, after " + nanos + " ns");
            assertTrue(millis < 3000, "500 ms took " + millis + " ms");
        }
    }

    @EachProvider
    void aSignalNeverEndsASelectionEarly(Lab lab) throws Exception {
        Selector selector = lab.selector();
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            for (long millis : new long[] {1, 3, 20, 100}) {
                long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(millis)));
                assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(millis), millis + " ms took " + nanos + " ns");
            }
            assertTrue(storm.isRaging());
        }
    }

    @EachProvider
    void eventsAndWakeupsArriveUnderAStormOfSignals(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            for (int i = 0; i < 200; i++) {
                Io.feed(pipe);
                assertEquals(1, selector.select());
                selector.selectedKeys().clear();
                Io.drain(pipe.source());
                assertEquals(0, selector.wakeup().select());
            }
            Job<Void> feeder = lab.start(() -> {
                Thread.sleep(100);
                Io.feed(pipe);
                return null;
            });
            assertEquals(1, selector.select());
            feeder.result();
            assertTrue(storm.isRaging());
        }
    }
}
