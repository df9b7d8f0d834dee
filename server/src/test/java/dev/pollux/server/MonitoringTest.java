// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Pollux;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.lab.ArenaMechanisms;
import dev.pollux.lab.Garbage;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Recordings;
import dev.pollux.lab.ServerOpener;
import dev.pollux.lab.TracedCalls;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loops of a server are among those that JMX, JFR and the counters show, beside selectors and Pollers. */
class MonitoringTest {
    private final List<Loop> before = Loops.open();

    @TempDir
    private Path folder;

    private static SocketAddress anywhere() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static Stream<String> mechanisms() {
        return ArenaMechanisms.here();
    }

    /** Those that were opened here, when there are that many. */
    private List<Loop> awaitLoops(int count) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (true) {
            List<Loop> opened = new ArrayList<>(Loops.open());
            opened.removeAll(before);
            if (opened.size() == count) {
                return opened;
            }
            assertTrue(System.nanoTime() < end, opened::toString);
            Thread.sleep(1);
        }
    }

    private static void echo(ByteBuffer data, Exchange exchange) {
        exchange.send(data);
        data.position(data.limit());
    }

    private static void ask(SocketChannel client) throws Exception {
        assertEquals(1, client.write(ByteBuffer.allocate(1)));
        assertEquals(1, client.read(ByteBuffer.allocate(1)));
    }

    private List<RecordedEvent> recorded(String name, Io.Step scene) throws Exception {
        return Recordings.recorded(folder, name, scene).stream()
                .filter(event -> event.getString("kind").equals("StreamServer")).toList();
    }

    @Test
    void eachLoopIsAmongThoseThatAreOpen() throws Exception {
        try (StreamServer server = StreamServer.at(anywhere(), () -> MonitoringTest::echo).loops(2).start()) {
            for (Loop loop : awaitLoops(2)) {
                assertEquals("StreamServer", loop.kind());
                assertEquals(server.mechanism(), loop.mechanism());
            }
        }
        awaitLoops(0);
    }

    @Test
    void theTableOfTheMBeanHasALoop() throws Exception {
        try (StreamServer server = StreamServer.at(anywhere(), () -> MonitoringTest::echo).start();
                SocketChannel client = SocketChannel.open(server.address())) {
            ask(client);
            Pollux.registerMBeans();
            TabularData table = (TabularData) ManagementFactory.getPlatformMBeanServer()
                    .getAttribute(new ObjectName("dev.pollux:type=Loops"), "Loops");
            long number = awaitLoops(1).get(0).statistics().number();
            CompositeData row = table.values().stream().map(CompositeData.class::cast)
                    .filter(each -> each.get("loop").equals(number)).findFirst().orElseThrow();
            assertEquals("StreamServer", row.get("kind"));
            assertEquals(server.mechanism(), row.get("mechanism"));
            assertFalse(((String) row.get("thread")).isEmpty());
            assertEquals(1L, row.get("keys"));
            assertTrue((Long) row.get("selections") >= 2);
            assertTrue((Long) row.get("ready") >= 2);
        } finally {
            Pollux.unregisterMBeans();
        }
    }

    @Test
    void openingIsRecordedWithTheCaller() throws Exception {
        List<RecordedEvent> events = recorded("SelectorOpened", ServerOpener::openAndClose);
        assertEquals(1, events.size(), events::toString);
        assertTrue(events.get(0).getString("caller")
                .startsWith("at " + ServerOpener.class.getName() + ".openAndClose("), events::toString);
    }

    @Test
    void statisticsAreRecorded() throws Exception {
        List<RecordedEvent> events = recorded("SelectorStatistics", () -> {
            try (StreamServer server = StreamServer.at(anywhere(), () -> MonitoringTest::echo).start();
                    SocketChannel client = SocketChannel.open(server.address())) {
                ask(client);
            }
        });
        RecordedEvent last = events.get(events.size() - 1);
        assertTrue(last.getLong("selections") >= 2, last::toString);
        assertTrue(last.getLong("ready") >= 2, () -> "a connection and its data: " + last);
        assertTrue(last.getDouble("utilization") <= 1, last::toString);
    }

    @Test
    void aSlowHandlerIsAStretch() throws Exception {
        List<RecordedEvent> events = recorded("Busy", () -> {
            try (StreamServer server = StreamServer.at(anywhere(), () -> (data, exchange) -> {
                Thread.sleep(300);
                echo(data, exchange);
            }).start(); SocketChannel client = SocketChannel.open(server.address())) {
                ask(client);
                ask(client);
            }
        });
        List<RecordedEvent> slow = events.stream().filter(event -> event.getDuration().toMillis() >= 300).toList();
        assertEquals(2, slow.size(), events::toString);
        assertFalse(slow.get(1).getStartTime().isBefore(slow.get(0).getEndTime()), slow::toString);
    }

    @Test
    void eachFieldOfItsStatisticsHasALabel() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            ServerOpener.openAndClose();
        }
        EventType type = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(each -> each.getName().equals("dev.pollux.StreamServerStatistics")).findFirst().orElseThrow();
        assertEquals(List.of("Pollux"), type.getCategoryNames());
        assertNotNull(type.getDescription());
        for (ValueDescriptor field : type.getFields()) {
            assertNotNull(field.getLabel(), field.getName());
            assertFalse(field.getLabel().isEmpty(), field.getName());
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    @Tag("load")
    void aRoundMakesNoGarbageWhileJfrRecords(String mechanism) throws Exception {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        Thread[] loop = new Thread[1];
        try (Recording recording = new Recording()) {
            recording.start();
            try (StreamServer server = StreamServer.at(anywhere(), () -> (data, exchange) -> {
                loop[0] = Thread.currentThread();
                echo(data, exchange);
            }).mechanism(mechanism).start(); SocketChannel client = SocketChannel.open(server.address())) {
                client.write(one.clear());
                client.read(one.clear());
                Garbage.assertNone(() -> {
                    client.write(one.clear());
                    client.read(one.clear());
                }, loop[0]);
            }
        }
    }

    /** What the counters of a StreamServer's loop show, when its handler looks. */
    private record Count(long blockedWaits, long changes, long systemCalls) {
        Count minus(Count other) {
            return new Count(blockedWaits - other.blockedWaits, changes - other.changes,
                    systemCalls - other.systemCalls);
        }
    }

    /** Looks at one loop in the thread of its handler, between two turns. */
    private static final class Observation {
        private LoopStatistics statistics;
        private StreamServer server;
        private Injection watch;
        private Count first;
        private Count last;
        private TracedCalls calls;
        private Throwable failure;

        private Count count() {
            ServerStatistics counts = server.statistics();
            return new Count(statistics.count(Counter.BLOCKED_WAITS), statistics.count(Counter.CHANGES),
                    counts.systemCalls());
        }

        void handle(ByteBuffer data, Exchange exchange) {
            byte what = data.get(0);
            try {
                if (what == 'b') {
                    watch = Injection.watching(TracedCalls.ARENA);
                    first = count();
                } else if (what == 'e') {
                    last = count();
                    calls = new TracedCalls(watch.calls());
                    watch.close();
                }
            } catch (Throwable e) {
                failure = e;
            }
            exchange.send(data);
            data.position(data.limit());
        }

        private void say(SocketChannel client, char what) throws Throwable {
            client.write(ByteBuffer.wrap(new byte[] {(byte) what}));
            assertEquals(1, client.read(ByteBuffer.allocate(1)));
            if (failure != null) {
                throw failure;
            }
        }
    }

    private static Stream<String> traced() {
        return ArenaMechanisms.here().filter(List.of("io_uring", "epoll")::contains);
    }

    @ParameterizedTest(allowZeroInvocations = true) // strace is Linux's
    @MethodSource("traced")
    void whatALoopCountsIsWhatItDoes(String mechanism) throws Throwable {
        Observation seen = new Observation();
        seen.server = StreamServer.at(anywhere(), () -> seen::handle).mechanism(mechanism).start();
        seen.statistics = awaitLoops(1).get(0).statistics();
        try (StreamServer server = seen.server;
                SocketChannel client = SocketChannel.open(server.address())) {
            seen.say(client, 'b');
            try (Job<Void> clients = TracedCalls.clients(server.address())) {
                clients.result();
            }
            seen.say(client, 'e');
        }
        Count counted = seen.last.minus(seen.first);
        assertEquals(seen.calls.blockedWaits(), counted.blockedWaits);
        assertEquals(seen.calls.lines().size(), counted.systemCalls);
        if (mechanism.equals("epoll")) {
            assertEquals(seen.calls.changes(), counted.changes);
        } else {
            assertTrue(counted.changes >= TracedCalls.CLIENTS, "each is received from: " + counted);
        }
    }
}
