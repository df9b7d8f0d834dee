// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What the tests share: checks that throw, and the VM's open descriptors. Stateless. */
public final class Check {

    static final String PROPERTY = "java.nio.channels.spi.SelectorProvider";
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private Check() {
    }

    static void that(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    static void same(Object expected, Object actual, String what) {
        that(expected == null ? actual == null : expected.equals(actual),
                what + ": expected " + expected + ", got " + actual);
    }

    /** Opens the default selector, which has to be one of ours, of the provider that the property names. */
    static Selector open() throws IOException {
        Selector selector = Selector.open();
        same(System.getProperty(PROPERTY), selector.provider().getClass().getName(), "provider of " + selector);
        ours(selector);
        return selector;
    }

    static void ours(Selector selector) {
        that(selector.getClass().getName().startsWith("dev.pollux."), selector + " is not ours");
    }

    static void ours(SelectableChannel channel) {
        that(channel.provider() == SelectorProvider.provider(), channel + " has provider " + channel.provider());
    }

    /** Runs {@code body} and returns what it threw, which has to be of class {@code type}. */
    static <T extends Throwable> T thrown(Class<T> type, Body body) {
        try {
            body.run();
        } catch (Throwable e) {
            if (type.isInstance(e)) {
                return type.cast(e);
            }
            throw new AssertionError("expected " + type.getName() + ", got " + e, e);
        }
        throw new AssertionError("expected " + type.getName() + ", nothing was thrown");
    }

    /**
     * The open descriptors of this VM and what each of them is, jars apart: a class loader opens those of its path
     * one after the other, when it looks for a class.
     */
    static Map<Integer, String> descriptors() throws IOException {
        Map<Integer, String> open = new TreeMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path entry : entries) {
                try {
                    open.put(Integer.valueOf(entry.getFileName().toString()), Files.readSymbolicLink(entry).toString());
                } catch (IOException gone) {
                    // The stream's own descriptor, or one that another thread has closed.
                }
            }
        }
        open.values().removeIf(name -> name.startsWith("/proc/") || name.endsWith(".jar"));
        return open;
    }

    /** Waits until this VM has no more descriptors than {@code limit}: some are closed by other threads. */
    static void descriptorsFallTo(int limit) throws Exception {
        for (int i = 0; descriptors().size() > limit; i++) {
            that(i < 1000, "descriptors leaked, more than " + limit + ": " + descriptors());
            Thread.sleep(10);
        }
    }

    /** Something that may throw. */
    interface Body {
        void run() throws Throwable;
    }
}
