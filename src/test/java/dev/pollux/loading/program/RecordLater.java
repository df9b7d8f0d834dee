// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.management.ObjectName;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Opens a selector, then has JFR record, and prints which of our events the recording has of which loop. */
public final class RecordLater {
    private static final long SECOND = 1_000_000_000;

    private static Selector old;
    private static int overflows;

    private RecordLater() {
    }

    /** Takes how the recording begins: api, command, options (it has begun), or stack (found where the stack ends). */
    public static void main(String[] arguments) throws Exception {
        Pipe pipe = SelectorProvider.provider().openPipe();
        pipe.source().configureBlocking(false);
        old = Selector.open();
        SelectionKey key = pipe.source().register(old, SelectionKey.OP_READ);
        old.select(1);
        System.out.println("recorder before " + FlightRecorder.isInitialized());
        start(arguments[0]);
        if (arguments[0].equals("stack")) {
            Thread thread = new Thread(null, RecordLater::dive, "deep", 512 * 1024);
            thread.start();
            thread.join();
            System.out.println("overflowed " + (overflows > 0));
        }
        old.select(1);
        Thread.sleep(200); // a handler that takes its time
        old.select(1);
        spin(pipe, key);
        old.close();
        Selector.open().close();
        print();
    }

    private static void start(String way) throws Exception {
        switch (way) {
            case "api", "stack" -> new Recording().start();
            case "command" -> ManagementFactory.getPlatformMBeanServer().invoke( // what jcmd JFR.start calls
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "jfrStart",
                    new Object[] {new String[0]}, new String[] {String[].class.getName()});
            default -> System.out.println("the options of the VM have started it");
        }
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private static void dive() {
        try {
            dive();
        } catch (StackOverflowError end) {
            overflows++;
        }
        try {
            old.select(1);
        } catch (StackOverflowError end) {
            overflows++;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Leaves data unread for as long as it takes to be noticed, and for a report of the second. */
    private static void spin(Pipe pipe, SelectionKey key) throws Exception {
        pipe.sink().write(ByteBuffer.allocate(1));
        pipe.sink().close();
        for (long end = System.nanoTime() + 3 * SECOND; System.nanoTime() < end;) {
            old.select(ready -> { });
        }
        key.interestOps(0);
        old.select(1);
    }

    private static void print() throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        Path file = Files.createTempFile("later", ".jfr");
        Recording recording = FlightRecorder.getFlightRecorder().getRecordings().get(0);
        recording.stop();
        recording.dump(file);
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            String name = event.getEventType().getName();
            if (name.startsWith("dev.pollux.")) {
                counts.merge(name + " of loop " + event.getLong("loop"), 1, Integer::sum);
            }
        }
        Files.delete(file);
        counts.forEach((name, count) -> System.out.println(name + ": " + count));
    }
}
