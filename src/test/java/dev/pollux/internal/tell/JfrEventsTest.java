// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.internal.verdict.SpinKind;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Opener;
import dev.pollux.lab.Recordings;
import dev.pollux.lab.Telling;
import dev.pollux.lab.Warnings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JfrEventsTest {
    /** JFR's clock and that of the system, by milliseconds. */
    private static final long CLOCKS_DIFFER = 50;

    private final EPollSelectorProvider provider = new EPollSelectorProvider();
    private Pipe pipe;

    @TempDir
    private Path folder;

    @BeforeEach
    void open() throws IOException {
        pipe = provider.openPipe();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        pipe.source().close();
        pipe.sink().close();
    }

    private List<RecordedEvent> recorded(String name, Io.Step scene) throws Exception {
        return Recordings.recorded(folder, name, scene);
    }

    private Selector selecting() throws IOException {
        Selector selector = provider.openSelector();
        pipe.source().register(selector, SelectionKey.OP_READ);
        return selector;
    }

    @Test
    void openingAndClosingAreRecordedWithTheCaller() throws Exception {
        for (String name : List.of("SelectorOpened", "SelectorClosed")) {
            List<RecordedEvent> events = recorded(name, () -> {
                Opener.openAndClose(provider);
                Opener.openAndClosePoller();
            });
            assertEquals(Set.of("selector", "Poller"), events.stream()
                    .map(event -> event.getString("kind")).collect(Collectors.toSet()), name);
            RecordedEvent ofSelector = only(events, "selector");
            assertEquals("epoll", ofSelector.getString("mechanism"));
            assertTrue(ofSelector.getString("caller").startsWith("at " + Opener.class.getName() + ".openAndClose("),
                    ofSelector.toString());
            assertTrue(only(events, "Poller").getString("caller")
                    .startsWith("at " + Opener.class.getName() + ".openAndClosePoller("), events.toString());
        }
    }

    @Test
    void statisticsAreRecordedWhenALoopCloses() throws Exception {
        List<RecordedEvent> events = recorded("SelectorStatistics", () -> {
            try (Selector selector = selecting()) {
                selector.select(20);
                pipe.sink().write(ByteBuffer.allocate(1));
                selector.select();
                selector.wakeup().selectNow();
            }
        });
        assertEquals(1, events.size());
        RecordedEvent event = events.get(0);
        assertEquals(3, event.getLong("selections"));
        assertEquals(1, event.getLong("ready"));
        assertEquals(1, event.getLong("wakeups"));
        assertEquals(0, event.getLong("wakeupCalls"));
        assertEquals(0, event.getInt("keys"), "it is closed");
        assertTrue(event.getLong("blockedWaits") >= 1);
        assertTrue(event.getDuration("blockedNanos").compareTo(Duration.ofMillis(20)) >= 0);
        assertTrue(event.getDuration("elapsedNanos").compareTo(event.getDuration("blockedNanos")) > 0);
        double expected = 1 - (double) event.getDuration("blockedNanos").toNanos()
                / event.getDuration("elapsedNanos").toNanos();
        assertEquals(expected, event.getDouble("utilization"), 1e-6);
        assertEquals(Thread.currentThread().getName(), event.getThread("thread").getJavaName());
    }

    @Test
    void aSelectorThatWasNeverUsedIsNotBusy() throws Exception {
        List<RecordedEvent> events = recorded("SelectorStatistics", () -> provider.openSelector().close());
        assertEquals(0, only(events, "selector").getDouble("utilization"));
    }

    @Test
    void aBusyLoopReportsEachSecond() throws Exception {
        long[] began = {System.nanoTime()};
        List<RecordedEvent> events = recorded("SelectorStatistics", () -> {
            try (Selector selector = selecting()) {
                long end = System.nanoTime() + Duration.ofMillis(2500).toNanos();
                while (System.nanoTime() < end) {
                    selector.select(1);
                }
            }
        });
        long most = Duration.ofNanos(System.nanoTime() - began[0]).toSeconds() + 1;
        assertTrue(events.size() >= 2 && events.size() <= most, events.size() + " reports, not 2 to " + most);
        assertTrue(events.get(0).getLong("selections") < events.get(1).getLong("selections"));
    }

    @Test
    void aStretchBetweenWaitsHasItsTimeAndLength() throws Exception {
        long[] between = new long[2];
        List<RecordedEvent> events = recorded("Busy", () -> {
            try (Selector selector = selecting()) {
                selector.select(1);
                between[0] = System.currentTimeMillis();
                selector.select(1);
                between[1] = System.currentTimeMillis();
                Thread.sleep(300);
                pipe.sink().write(ByteBuffer.allocate(1));
                selector.selectNow();
                selector.selectedKeys().clear();
                pipe.source().read(ByteBuffer.allocate(1));
                selector.select(1);
                selector.select(1);
                Thread.sleep(150);
                selector.select(1);
            }
        });
        // A busy machine makes others.
        RecordedEvent first =
                events.stream().filter(event -> event.getLong("busyReady") == 1).findFirst().orElseThrow();
        long start = first.getStartTime().toEpochMilli();
        assertTrue(start >= between[0] - CLOCKS_DIFFER && start <= between[1] + CLOCKS_DIFFER, first.toString());
        assertTrue(first.getDuration().toMillis() >= 300, first.toString());
        RecordedEvent last = events.get(events.size() - 1);
        assertTrue(last.getDuration().toMillis() >= 150, last.toString());
        assertFalse(last.getStartTime().isBefore(first.getEndTime()), last.toString());
    }

    @Test
    void theFirstStretchIsRecorded() throws Exception {
        List<RecordedEvent> events = recorded("Busy", () -> {
            try (Selector selector = selecting()) {
                selector.selectNow();
                Thread.sleep(150);
                selector.select(1);
            }
        });
        assertEquals(1, events.get(0).getLong("busySelections"), events.toString());
        assertTrue(events.get(0).getDuration().toMillis() >= 150, events.toString());
    }

    @Test
    void aStretchThatBeganWithoutARecordingIsNotMeasuredFromAnOlderOne() throws Exception {
        try (Selector selector = selecting()) {
            assertEquals(0, recorded("Busy", () -> {
                selector.select(1);
                selector.select(1);
            }).size());
            long waiting = System.nanoTime();
            selector.select(200);
            for (RecordedEvent event : recorded("Busy", () -> selector.select(1))) { // to start one may take so long
                assertTrue(event.getDuration().toNanos() <= System.nanoTime() - waiting
                        - Duration.ofMillis(200).toNanos(), event.toString());
            }
        }
    }

    @Test
    void aPollerReportsToo() throws Exception {
        List<RecordedEvent> events = recorded("SelectorStatistics", () -> {
            try (Poller poller = new Poller()) {
                poller.await(20, TimeUnit.MILLISECONDS);
            }
        });
        RecordedEvent ofPoller = only(events, "Poller");
        assertEquals(1, ofPoller.getLong("selections"));
        assertEquals(1, ofPoller.getLong("blockedWaits"));
        assertTrue(ofPoller.getDuration("blockedNanos").compareTo(Duration.ofMillis(20)) >= 0, ofPoller.toString());
    }

    private static RecordedEvent only(List<RecordedEvent> events, String kind) {
        List<RecordedEvent> some = events.stream().filter(event -> event.getString("kind").equals(kind)).toList();
        assertEquals(1, some.size(), events.toString());
        return some.get(0);
    }

    @Test
    void aSpinIsRecordedWithItsKey() throws Exception {
        List<RecordedEvent> events = recorded("Spin", () -> {
            try (Warnings warnings = new Warnings(); Selector selector = provider.openSelector()) {
                pipe.source().register(selector, SelectionKey.OP_READ, new BitSet());
                pipe.sink().write(ByteBuffer.allocate(3));
                pipe.sink().close(); // of a pipe that may be written to nobody knows whether it is read
                selectUntil(selector, () -> !warnings.messages().isEmpty());
            }
        });
        RecordedEvent spin = only(events, "selector");
        assertEquals(SpinKind.DATA_NOT_READ.cause(), spin.getString("cause"));
        assertEquals(SpinKind.DATA_NOT_READ.advice(), spin.getString("advice"));
        assertTrue(spin.getString("channel").endsWith(Descriptors.shownName(pipe.source())), spin.toString());
        assertEquals("OP_READ", spin.getString("interestOps"));
        assertEquals("OP_READ", spin.getString("readyOps"));
        assertEquals("java.util.BitSet", spin.getString("attachment"));
        assertEquals(3, spin.getLong("unreadBytes"));
        assertTrue(spin.getLong("selectionsPerSecond") >= 4096, spin.toString());
    }

    @Test
    void aWakeupStormIsRecorded() throws Exception {
        List<RecordedEvent> events = recorded("WakeupStorm", () -> {
            try (Warnings warnings = new Warnings(); Selector selector = provider.openSelector()) {
                Thread.currentThread().interrupt();
                selectUntil(selector, () -> !warnings.messages().isEmpty());
            } finally {
                Thread.interrupted();
            }
        });
        RecordedEvent storm = only(events, "selector");
        assertTrue(storm.getBoolean("interrupted"), storm.toString());
        assertTrue(storm.getLong("wakeupsPerSecond") >= 4096, storm.toString());
    }

    private static void selectUntil(Selector selector, BooleanSupplier condition) throws IOException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "waited in vain");
            selector.select(key -> { });
        }
    }

    @Test
    void aRefusalIsRecordedWithItsReason() throws Exception {
        List<RecordedEvent> events = recorded("RefusedRegistration", () -> {
            try (Selector selector = provider.openSelector()) {
                assertTrue(statistics(selector).observer().recordsRefusals());
                statistics(selector).observer().onRefused("epoll_ctl: no space");
                Telling.await();
            }
        });
        assertEquals("epoll_ctl: no space", only(events, "selector").getString("reason"));
        try (Selector selector = provider.openSelector()) {
            assertFalse(statistics(selector).observer().recordsRefusals(), "without a recording nobody makes the text");
        }
    }

    private static LoopStatistics statistics(Selector selector) {
        return SelectorInsight.statistics(selector);
    }

    @Test
    void everyEventAndFieldHasALabel() throws IOException {
        FlightRecorder jfr = FlightRecorder.getFlightRecorder();
        provider.openSelector().close();
        List<EventType> types = jfr.getEventTypes().stream()
                .filter(type -> type.getName().startsWith("dev.pollux.") // a StreamServer's is there after its tests
                        && !type.getName().contains("StreamServer")).toList();
        assertEquals(Set.of("SelectorOpened", "SelectorClosed", "SelectorStatistics", "Busy", "Spin", "WakeupStorm",
                "Blocked", "LostThread", "RefusedRegistration"),
                types.stream().map(type -> type.getName().replace("dev.pollux.", "")).collect(Collectors.toSet()));
        for (EventType type : types) {
            assertEquals(List.of("Pollux"), type.getCategoryNames());
            assertNotNull(type.getLabel(), type.getName());
            assertNotNull(type.getDescription(), type.getName());
            for (ValueDescriptor field : type.getFields()) {
                assertNotNull(field.getLabel(), type.getName() + '.' + field.getName());
                assertFalse(field.getLabel().isEmpty(), type.getName() + '.' + field.getName());
            }
        }
    }
}
