// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What selectors this virtual machine has, no matter who opened them. It asks the machine, not the framework. */
final class Selectors {
    private static final Pattern ROW = Pattern.compile(
            "^ *\\d+: +(\\d+) +\\d+ +(sun\\.nio\\.ch\\.\\w+SelectorImpl|dev\\.pollux\\.internal\\.selector\\."
            + "PolluxSelector)(?: .*)?$", Pattern.MULTILINE);
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private Selectors() {
    }

    /** {@return how many objects there are of each class of selectors, after a garbage collection} */
    static Map<String, Integer> byClass() throws JMException {
        String histogram = (String) SERVER.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
        Map<String, Integer> found = new TreeMap<>();
        for (Matcher row = ROW.matcher(histogram); row.find();) {
            found.put(row.group(2), Integer.parseInt(row.group(1)));
        }
        return found;
    }

    /**
     * {@return how many epolls this process has: one for each open selector, of Pollux and of the JDK; the one of
     * Pollux's thread for batches is left out}
     */
    static long open() throws IOException {
        long open = 0;
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    open += Files.readSymbolicLink(descriptor).toString().equals("anon_inode:[eventpoll]") ? 1 : 0;
                } catch (NoSuchFileException closed) {
                    // in the meantime
                }
            }
        }
        return open - threadsOfBatch();
    }

    private static long threadsOfBatch() throws IOException {
        long threads = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    threads += Files.readString(task.resolve("comm")).strip().equals("pollux-batch") ? 1 : 0;
                } catch (IOException ended) {
                    // in the meantime
                }
            }
        }
        return threads;
    }

    /** {@return a sum over Pollux's open loops, by the name of its attribute; 0 without Pollux} */
    static long sum(String attribute) throws JMException {
        long sum = 0;
        for (ObjectName name : SERVER.queryNames(new ObjectName("dev.pollux:type=Loops,*"), null)) {
            sum += ((Number) SERVER.getAttribute(name, attribute)).longValue();
        }
        return sum;
    }
}
