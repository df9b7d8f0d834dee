// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.jdk.Privileged;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * For how long a thread had a processor, and for how long it was ready to run and had none, since it began: the first
 * two numbers of its {@code schedstat} in proc(5). Immutable.
 */
record ProcessorTimes(long had, long lacked) {
    private static final File TASKS = new File("/proc/self/task");

    /** Linux keeps this many characters of a thread's name: prctl(2), PR_SET_NAME. */
    private static final int MAX_NAME = 15;

    /** {@return the file of the current thread; null if there is none, as on another system} */
    static Path ofThisThread() {
        try {
            return Privileged.isNeeded() ? Privileged.run(ProcessorTimes::find) : find();
        } catch (IOException | RuntimeException e) {
            return null; // another system, or an old Linux
        }
    }

    private static Path find() throws IOException {
        Path self = Path.of("/proc/thread-self");
        return self.resolveSibling(Files.readSymbolicLink(self)).resolve("schedstat");
    }

    /** {@return what the file says; null if it can't be read, say since the thread has ended} */
    static ProcessorTimes read(Path file) {
        try {
            String[] numbers = Files.readString(file, StandardCharsets.US_ASCII).split(" ");
            return new ProcessorTimes(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** What all threads of this process lacked at one moment. Immutable. */
    record OfAll(Map<String, Long> lacked) {
        /** {@return what can be read now; empty on another system} */
        static OfAll now() {
            Map<String, Long> lacked = new HashMap<>();
            String[] tasks = TASKS.list();
            for (String task : tasks == null ? new String[0] : tasks) {
                ProcessorTimes times = read(TASKS.toPath().resolve(task).resolve("schedstat"));
                if (times != null) {
                    lacked.put(task, times.lacked());
                }
            }
            return new OfAll(lacked);
        }

        /**
         * {@return how long a thread lacked a processor since then: the one with this name, or if that is not found,
         * the one that lacked it most}
         */
        long since(OfAll before, String name) {
            long ofName = -1;
            long most = 0;
            for (Map.Entry<String, Long> task : lacked.entrySet()) {
                long lack = task.getValue() - before.lacked.getOrDefault(task.getKey(), task.getValue());
                most = Math.max(most, lack);
                if (lack > ofName && !name.isEmpty() && isNamed(task.getKey(), name)) {
                    ofName = lack;
                }
            }
            return ofName >= 0 ? ofName : most;
        }

        private static boolean isNamed(String task, String name) {
            try {
                String shown = Files.readString(TASKS.toPath().resolve(task).resolve("comm")).strip();
                return !shown.isEmpty() && (name.startsWith(shown) || shown.equals(shortened(name)));
            } catch (IOException | RuntimeException e) {
                return false;
            }
        }

        /** As newer JDKs name a thread whose name is too long. */
        private static String shortened(String name) {
            return name.length() <= MAX_NAME ? name : name.substring(0, 7) + ".." + name.substring(name.length() - 6);
        }
    }
}
