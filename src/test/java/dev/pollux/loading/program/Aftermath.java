// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.management.ObjectName;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What a program uses after a limit was reached: prints a line for each part that is whole, or why it is not. */
final class Aftermath {
    private static final long SPIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private Aftermath() {
    }

    private interface Part {
        void use() throws Exception;
    }

    /** Also whether our MBean works, if it {@code isManaged}, and what the recordings have that run. */
    static void print(boolean isManaged, Selector selector) {
        print("System.Logger", () -> System.getLogger("app").log(System.Logger.Level.WARNING, "by System.Logger"));
        print("java.util.logging", () -> Logger.getLogger("app").warning("by java.util.logging"));
        print("MessageDigest", () -> MessageDigest.getInstance("SHA-256").digest());
        print("SecureRandom", () -> new SecureRandom().nextInt());
        print("URLClassLoader", () -> URLClassLoader.newInstance(new URL[0]).loadClass("java.lang.String"));
        print("ThreadMXBean", () -> ManagementFactory.getThreadMXBean().getThreadInfo(
                new long[] {Thread.currentThread().getId()}));
        if (isManaged) {
            print("LoopsBean", () -> ManagementFactory.getPlatformMBeanServer().getAttribute(
                    new ObjectName("dev.pollux:type=Loops"), "Loops"));
        }
        print("selector", () -> selector.select(1));
        print("recording", Aftermath::record);
    }

    private static void print(String part, Part use) {
        try {
            use.use();
            System.out.println("whole: " + part);
        } catch (Exception | LinkageError e) {
            System.out.println("broken: " + part + ": " + e);
        }
    }

    /** Pollux must name this one, whatever has become of those before. */
    private static void spin() throws Exception {
        Pipe pipe = Pipe.open();
        Selector selector = Selector.open();
        pipe.source().configureBlocking(false);
        pipe.sink().close();
        pipe.source().register(selector, SelectionKey.OP_READ);
        for (long end = System.nanoTime() + SPIN_NANOS; System.nanoTime() < end;) {
            selector.select();
            selector.selectedKeys().clear();
        }
        selector.close();
    }

    /** In the recording that runs, else in a new one. */
    private static void record() throws Exception {
        if (FlightRecorder.getFlightRecorder().getRecordings().isEmpty()) {
            new Recording().start();
        }
        spin();
        Recording recording = FlightRecorder.getFlightRecorder().getRecordings().get(0);
        recording.stop();
        Path file = Files.createTempFile("aftermath", ".jfr");
        recording.dump(file);
        Map<String, Integer> counts = new TreeMap<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().startsWith("dev.pollux.")) {
                counts.merge(event.getEventType().getName(), 1, Integer::sum);
            }
        }
        Files.delete(file);
        System.out.println("recorded " + counts);
    }
}
