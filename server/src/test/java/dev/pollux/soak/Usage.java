// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.lab.Descriptors;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the virtual machine holds at one moment. Asking takes descriptors, which there may be none of.
 *
 * @param descriptors sockets, pipes, epoll instances and eventfds
 * @param threads     the names of Java's platform threads that carry no virtual ones
 * @param carriers    how many carry virtual threads
 * @param heap        live bytes, after a full collection
 * @param resident    bytes of memory, as the kernel counts
 * @param committed   bytes that the virtual machine itself knows of
 */
record Usage(List<String> descriptors, List<String> threads, int carriers, long heap, long resident,
        long committed) {
    private static final long MEBI = 1 << 20;
    private static final Pattern COMMITTED = Pattern.compile("Total: reserved=\\d+KB, committed=(\\d+)KB");

    static Usage now() throws Exception {
        List<String> names = Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
        List<String> threads = names.stream().filter(name -> !isCarrier(name)).toList();
        return new Usage(Descriptors.open(), threads, names.size() - threads.size(), live(), residentNow(),
                committedNow());
    }

    /** As of the collection itself: what the other threads allocate meanwhile is not counted. */
    private static long live() {
        System.gc();
        System.gc(); // channels are freed by references that the first one finds
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed()).sum();
    }

    private static boolean isCarrier(String name) {
        return name.startsWith("ForkJoinPool-");
    }

    private static long residentNow() throws Exception {
        Diagnostics.trimNativeHeap();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IllegalStateException("no VmRSS in /proc/self/status");
    }

    private static long committedNow() throws Exception {
        Matcher total = COMMITTED.matcher(Diagnostics.run("vmNativeMemory", "summary"));
        return total.find() ? Long.parseLong(total.group(1)) << 10 : 0;
    }

    @Override
    public String toString() {
        return String.format("%d descriptors, %d threads, %d carriers, ",
                descriptors.size(), threads.size(), carriers)
                + String.format("%.1f MiB live, %.0f MiB resident, %.0f MiB committed",
                (double) heap / MEBI, (double) resident / MEBI, (double) committed / MEBI);
    }
}
