// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.InterruptServer;
import dev.pollux.Poller;
import dev.pollux.lab.Garbage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
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

    private interface Scene {
        void play() throws Exception;
    }

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

    private List<RecordedEvent> recorded(String name, Scene scene) throws Exception {
        Path file = Files.createTempFile(folder, "scene", ".jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            scene.play();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.pollux." + name)).toList();
    }

    private Selector selecting() throws IOException {
        Selector selector = provider.openSelector();
        pipe.source().register(selector, SelectionKey.OP_READ);
        return selector;
    }

    @Test
    void openingAndClosingAreRecordedWithTheStack() throws Exception {
        for (String name : List.of("SelectorOpened", "SelectorClosed")) {
            List<RecordedEvent> events = recorded(name, () -> {
                provider.openSelector().close();
                new Poller().close();
                InterruptServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        () -> (data, from) -> data).start().close();
            });
            assertEquals(Set.of("selector", "Poller", "InterruptServer"), events.stream()
                    .map(event -> event.getString("kind")).collect(Collectors.toSet()), name);
            RecordedEvent ofSelector = events.stream()
                    .filter(event -> event.getString("kind").equals("selector")).findFirst().orElseThrow();
            assertEquals("epoll", ofSelector.getString("mechanism"));
            assertTrue(ofSelector.getStackTrace().getFrames().stream()
                    .anyMatch(frame -> frame.getMethod().getType().getName().equals(getClass().getName())), name);
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
        assertTrue(event.getDuration("blockedTime").compareTo(Duration.ofMillis(20)) >= 0);
        assertTrue(event.getDuration("openTime").compareTo(event.getDuration("blockedTime")) > 0);
        double expected = 1 - (double) event.getDuration("blockedTime").toNanos()
                / event.getDuration("openTime").toNanos();
        assertEquals(expected, event.getDouble("utilization"), 1e-6);
        assertEquals(Thread.currentThread().getName(), event.getThread("thread").getJavaName());
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
        RecordedEvent first = events.stream().filter(event -> event.getLong("ready") == 1).findFirst().orElseThrow();
        long start = first.getStartTime().toEpochMilli();
        assertTrue(start >= between[0] - CLOCKS_DIFFER && start <= between[1] + CLOCKS_DIFFER, first.toString());
        assertTrue(first.getDuration().toMillis() >= 300, first.toString());
        RecordedEvent last = events.get(events.size() - 1);
        assertTrue(last.getDuration().toMillis() >= 150, last.toString());
        assertFalse(last.getStartTime().isBefore(first.getEndTime()), last.toString());
    }

    @Test
    void aSelectionMakesNoGarbageWithARecordingEither() throws Exception {
        try (Selector selector = selecting(); Recording recording = new Recording()) {
            recording.start();
            ByteBuffer one = ByteBuffer.allocateDirect(1);
            Garbage.assertNone(() -> {
                selector.select(1);
                pipe.sink().write(one.clear());
                selector.select(key -> { });
                pipe.source().read(one.clear());
            });
        }
    }

    @Test
    void everyEventAndFieldHasALabel() {
        List<EventType> types = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(type -> type.getName().startsWith("dev.pollux.")).toList();
        assertEquals(Set.of("SelectorOpened", "SelectorClosed", "SelectorStatistics", "Busy", "RefusedRegistration"),
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
