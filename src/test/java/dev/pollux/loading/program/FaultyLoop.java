// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A loop with a fault that lasts until standard input ends. Answers each line with one: {@code table} with the verdict
 * of the first loop in JMX, {@code notified} with types of notifications, {@code recorded} with names of events.
 */
public final class FaultyLoop {
    private static final long LONG_MILLIS = TimeUnit.MINUTES.toMillis(10);
    private static final String[] COLUMNS = {"verdict", "verdictNanos", "evidence"};

    private static final Set<String> NOTIFIED = new ConcurrentSkipListSet<>();

    private final Selector selector = Selector.open();

    private FaultyLoop() throws IOException {
        // opened
    }

    /** Takes the fault. {@code -Ddev.pollux.jmx=true} must be set. */
    public static void main(String[] arguments) throws Exception {
        new Recording().start();
        FaultyLoop loop = new FaultyLoop();
        ManagementFactory.getPlatformMBeanServer().addNotificationListener(name(),
                (told, any) -> NOTIFIED.add(told.getType()), null, null);
        loop.start("faulty", () -> loop.plant(arguments[0]));
        System.out.println("serving");
        Scanner lines = new Scanner(System.in, "UTF-8");
        while (lines.hasNextLine()) {
            System.out.println(switch (lines.nextLine()) {
                case "table" -> table();
                case "notified" -> NOTIFIED.toString();
                default -> recorded();
            });
        }
        System.exit(0);
    }

    private interface Work {
        void run() throws Exception;
    }

    private void start(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void plant(String fault) throws Exception {
        switch (fault) {
            case "spin" -> spin();
            case "storm" -> beWoken();
            case "blocked" -> block();
            case "lost" -> loseAListener();
            case "refused" -> refuse();
            case "turns" -> takeTurns();
            default -> throw new IllegalArgumentException(fault);
        }
    }

    private Pipe.SourceChannel source(Pipe pipe) throws IOException {
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
        return pipe.source();
    }

    /** Nothing is done at the end of a stream. */
    private void spin() throws IOException {
        Pipe pipe = Pipe.open();
        source(pipe);
        pipe.sink().close();
        while (true) {
            selector.select();
            selector.selectedKeys().clear();
        }
    }

    private void beWoken() throws IOException {
        start("waker", () -> {
            while (true) {
                selector.wakeup();
            }
        });
        while (true) {
            selector.select();
        }
    }

    /** What is ready is not fetched for a long time. */
    private void block() throws Exception {
        Pipe pipe = Pipe.open();
        source(pipe);
        for (int i = 0; i < 5; i++) {
            selector.select(10);
        }
        pipe.sink().write(ByteBuffer.allocate(1));
        while (true) {
            selector.select();
            Thread.sleep(LONG_MILLIS);
        }
    }

    /** The thread ends, and a connection waits to be accepted. */
    private void loseAListener() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        selector.select(100);
        SocketChannel.open(server.getLocalAddress());
    }

    /** The kernel refuses each registration that this thread asks for. */
    private void refuse() throws Exception {
        selector.select(10);
        String thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
        Process strace = new ProcessBuilder("strace", "-p", thread, "-o", "/dev/null", "-e", "trace=epoll_ctl",
                "-e", "inject=epoll_ctl:error=ENOSPC").redirectErrorStream(true).start();
        strace.inputReader().readLine(); // it is attached
        while (true) {
            DatagramChannel channel = DatagramChannel.open();
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            selector.select(200);
            channel.close();
        }
    }

    /** Nothing is wrong: threads of a pool that end select one after the other. */
    private void takeTurns() throws Exception {
        source(Pipe.open());
        while (true) {
            Thread turn = new Thread(() -> {
                try {
                    selector.select(20);
                } catch (IOException e) {
                    e.printStackTrace();
                }
            }, "turn");
            turn.start();
            turn.join();
            Thread.sleep(800);
        }
    }

    private static ObjectName name() throws Exception {
        return new ObjectName("dev.pollux:type=Loops");
    }

    /** The columns of the first loop, one after the other with tabs in between. */
    private static String table() throws Exception {
        TabularData table = (TabularData) ManagementFactory.getPlatformMBeanServer().getAttribute(name(), "Loops");
        CompositeData row = table.values().stream().map(CompositeData.class::cast)
                .filter(any -> any.get("loop").equals(1L)).findFirst().orElseThrow();
        StringBuilder columns = new StringBuilder();
        for (String column : COLUMNS) {
            String value = row.containsKey(column) ? row.get(column).toString() : "no column " + column;
            columns.append(value.replaceAll("\\s+", " ")).append('\t');
        }
        return columns.append("end").toString();
    }

    /** What a recording has of Pollux, but for events that say nothing of faults. */
    private static String recorded() throws Exception {
        Recording recording = FlightRecorder.getFlightRecorder().getRecordings().get(0);
        Path file = Files.createTempFile("faulty", ".jfr");
        recording.dump(file);
        TreeMap<String, Integer> counts = new TreeMap<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            String name = event.getEventType().getName();
            if (name.matches("dev\\.pollux\\.(Spin|WakeupStorm|Blocked|LostThread|RefusedRegistration)")) {
                counts.merge(name, 1, Integer::sum);
            }
        }
        Files.delete(file);
        return counts.keySet().toString();
    }
}
