// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.internal.count.Loop;
import dev.pollux.lab.Garbage;
import dev.pollux.lab.Io;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What loops allocate while JFR records: nothing for an operation, and little for the report of each second. */
class JfrGarbageTest {
    private final EPollSelectorProvider provider = new EPollSelectorProvider();
    private final Recording recording = new Recording();
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);
    private Pipe pipe;

    @BeforeEach
    void start() throws Exception {
        pipe = provider.openPipe();
        pipe.source().configureBlocking(false);
        recording.start();
    }

    @AfterEach
    void end() throws Exception {
        recording.close();
        pipe.source().close();
        pipe.sink().close();
    }

    @Test
    void aSelectionMakesNone() throws Exception {
        try (Selector selector = provider.openSelector()) {
            pipe.source().register(selector, SelectionKey.OP_READ);
            Garbage.assertNone(() -> {
                selector.select(1);
                pipe.sink().write(one.clear());
                selector.select(key -> { });
                pipe.source().read(one.clear());
            });
        }
    }

    @Test
    void anAwaitMakesNone() throws Exception {
        try (Poller poller = new Poller()) {
            poller.add(pipe.source(), Poller.POLLIN);
            Poller.Handler handler = (member, events) -> pipe.source().read(one.clear());
            Duration moment = Duration.ofMillis(1);
            Garbage.assertNone(() -> {
                assertEquals(0, poller.await(handler, moment));
                pipe.sink().write(one.clear());
                assertEquals(1, poller.await(handler, Poller.FOREVER));
            });
        }
    }

    /** JFR stays initialised after its last recording. */
    @Test
    void aSelectorThatIsNeverUsedTakesAtMost1536BytesAfterARecording() throws Exception {
        provider.openSelector().close();
        recording.stop();
        assertTrue(FlightRecorder.isInitialized());
        long bytes = leastBytesOf(() -> provider.openSelector().close()) - leastBytesOf(() -> { });
        assertTrue(bytes > 0 && bytes <= 1536, "bytes of a selector: " + bytes);
    }

    /** {@code docs/insight.md} tells how much. */
    @Test
    void aReportMakesLittle() throws Exception {
        try (Selector selector = provider.openSelector()) {
            JfrObserver observer = new JfrObserver((Loop) selector);
            long report = leastBytesOf(observer::onReportDue) - leastBytesOf(() -> { });
            assertTrue(report > 0 && report < 1000, "bytes of a report: " + report);
        }
    }

    /** The least of many, since the virtual machine allocates now and then on behalf of the thread that it measures. */
    private static long leastBytesOf(Io.Step step) throws Exception {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 1000; i++) {
            least = Math.min(least, Garbage.bytesOf(step));
        }
        return least;
    }
}
