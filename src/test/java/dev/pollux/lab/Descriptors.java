// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What {@code /proc/self/fd} says about this process; on Windows, what a library of ours finds out about its handles.
 * Regular files are left out: class loading opens jars. Where neither is there, tests that look are skipped.
 */
public final class Descriptors {

    public static final boolean WINDOWS = System.getProperty("os.name").startsWith("Windows");

    /** On Windows: the library, made of {@code src/test/windows/handles.c}. */
    public static final String HANDLES = "pollux.test.handles";

    /** Whether there is proc(5) as Linux has it. Property {@code pollux.test.proc}: false for what tests do without. */
    public static final boolean PROC = System.getProperty("os.name").equals("Linux")
            && Boolean.parseBoolean(System.getProperty("pollux.test.proc", "true"));

    /** Whether {@link #open} knows what is open. */
    public static final boolean VISIBLE = WINDOWS ? System.getProperty(HANDLES) != null : PROC;

    private static final Path DIR = Path.of("/proc/self/fd");

    static {
        if (WINDOWS && VISIBLE) {
            System.load(System.getProperty(HANDLES));
        }
    }

    private Descriptors() {
    }

    /**
     * Windows: each open handle that is no file, as "number kind:"; it ends in "inherited" if child processes get it.
     */
    private static native String[] handles();

    /** The sockets, pipes and anonymous inodes (epoll, eventfd) that are open, as "number target". */
    public static List<String> open() {
        assumeTrue(VISIBLE, "nothing lists the descriptors of a process here");
        if (WINDOWS) {
            return List.of(handles());
        }
        List<String> found = new ArrayList<>();
        String[] numbers = new File(DIR.toString()).list();
        if (numbers == null) {
            throw new IllegalStateException("this test reads " + DIR);
        }
        for (String number : numbers) {
            String target = target(number);
            if (target.startsWith("socket:") || target.startsWith("pipe:") || target.startsWith("anon_inode:")) {
                found.add(number + " " + target);
            }
        }
        return found;
    }

    /** Whether child processes inherit what {@link #open} names so. */
    public static boolean isInherited(String entry) throws IOException {
        if (WINDOWS) {
            return entry.endsWith("inherited");
        }
        for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo", entry.substring(0, entry.indexOf(' '))))) {
            if (line.startsWith("flags:")) {
                return (Long.parseLong(line.substring(6).strip(), 8) & 02000000) == 0;
            }
        }
        throw new AssertionError("no flags of descriptor " + entry);
    }

    /**
     * How many sockets, pipes and anonymous inodes are open. Not the devices of Windows: a selector may open them when
     * something is first registered.
     */
    public static int count() {
        return (int) open().stream().filter(entry -> !entry.contains(" device:")).count();
    }

    /** The entries of {@code now} that push its size, kind by kind, over that of {@code before}. */
    public static List<String> more(List<String> before, List<String> now) {
        List<String> fresh = new ArrayList<>(now);
        fresh.removeAll(before);
        List<String> gone = new ArrayList<>(before);
        gone.removeAll(now);
        for (String old : gone) {
            fresh.stream().filter(f -> kind(f).equals(kind(old))).findFirst().ifPresent(fresh::remove);
        }
        return fresh;
    }

    /** The descriptor number of a channel, which the JDK's channels tell through an internal interface. */
    public static int numberOf(SelectableChannel channel) throws ReflectiveOperationException {
        Method getter = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
        getter.setAccessible(true);
        return (int) getter.invoke(channel);
    }

    /** What an operator finds a channel by, in warnings and exceptions. */
    public static String shownName(SelectableChannel channel) throws Exception {
        return channel instanceof DatagramChannel datagram ? "local=" + datagram.getLocalAddress()
                : channel instanceof Pipe.SourceChannel ? "Pipe.SourceChannel (descriptor " + numberOf(channel) + ')'
                : channel.toString();
    }

    /** The number under which this process has a file open. */
    public static int numberOf(Path file) throws IOException {
        assumeTrue(PROC, "nothing tells the number of a file's descriptor here");
        for (String number : Objects.requireNonNull(new File(DIR.toString()).list(), "this test reads " + DIR)) {
            if (target(number).equals(file.toRealPath().toString())) {
                return Integer.parseInt(number);
            }
        }
        throw new AssertionError(file + " is not open");
    }

    private static String target(String number) {
        try {
            return Files.readSymbolicLink(DIR.resolve(number)).toString();
        } catch (IOException e) {
            return ""; // closed since the folder was listed, the listing's own descriptor for one
        }
    }

    private static String kind(String entry) {
        return entry.substring(entry.indexOf(' ') + 1).replaceAll("[0-9]+", "#");
    }
}
