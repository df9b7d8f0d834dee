// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.BiFunction;

/**
 * Puts native methods of ours in the place of the JDK's for sockets, where the kernel spoils the processor's return
 * stack: docs/calls.md. Called by start-up alone, in one thread. It holds for the whole virtual machine.
 */
public final class SocketCalls implements BiFunction<Object, Object, Object> {

    /** System property: whether native methods for sockets are replaced; {@code auto}, {@code on} or {@code off}. */
    public static final String PROPERTY = "dev.pollux.calls";

    /** Default of {@link #PROPERTY}: where the kernel spoils the return stack. */
    public static final String DEFAULT = "auto";

    /** System property that is set when the methods are replaced, for other class loaders that load Pollux. */
    public static final String REPLACED = "dev.pollux.calls.replaced";

    private static final String ON = "on", OFF = "off";

    /** In this order: the second is left alone if the first has all that sockets need. */
    private static final List<String> OWNERS = List.of("SocketDispatcher", "FileDispatcherImpl", "DatagramDispatcher",
            "DatagramChannelImpl", "Net", "EPoll");

    /** Besides, for a batch. */
    private static final List<String> OWNERS_FOR_BATCH = List.of("UnixDispatcher", "FileChannelImpl", "IOUtil");

    /** The {@link #outcome} of a virtual machine without Pollux. */
    public static final String NOT_STARTED = "the JDK's own: Pollux has not started";

    private static volatile String outcome = NOT_STARTED;

    private SocketCalls() {
    }

    /**
     * {@return whether the methods are replaced: if that is asked for, and can be}
     *
     * @param deferring whether by those that defer writes, whatever the property says
     */
    public static boolean replace(boolean deferring) throws IOException {
        String asked = System.getProperty(PROPERTY, DEFAULT);
        if (!List.of(ON, OFF, DEFAULT).contains(asked)) {
            throw new IOException("the property " + PROPERTY + " is " + asked + "; it must be auto, on or off");
        }
        if (asked.equals(OFF) && !deferring) {
            outcome = "the JDK's own (-D" + PROPERTY + "=off)";
            return false;
        }
        outcome = replace(System.getProperties(), asked.equals(ON), deferring);
        return !names(true).isEmpty();
    }

    /** The first class loader that gets here replaces them for all. To do it again changes nothing. */
    private static String replace(Properties properties, boolean forced, boolean deferring) {
        if (!forced && Runtime.version().feature() > JdkAccess.MAX_JDK) { // its methods were not compared with ours
            return "the JDK's own: not tried with this JDK; -D" + PROPERTY + "=on replaces them";
        }
        synchronized (properties) {
            String before = properties.getProperty(REPLACED);
            if (before != null && !before.equals(names(true))) {
                return "covered, by another class loader's Pollux: " + before;
            }
            String why = prepare(forced, deferring, System.getProperty("java.home") + "/lib");
            if (why != null) {
                return "the JDK's own: " + why;
            }
            register(OWNERS);
            if (deferring) {
                register(OWNERS_FOR_BATCH);
            }
            String text = (deferring ? "deferring, for the batch"
                    : "covered, since " + (forced ? "-D" + PROPERTY + "=on" : evidence())) + ": " + names(true)
                    + "; left as they are: " + names(false);
            properties.setProperty(REPLACED, names(true));
            return text;
        }
    }

    /** {@return whose native methods sockets use, and why, for people} */
    public static String outcome() {
        return outcome;
    }

    /**
     * Has a class of the JDK call {@link #apply}. The VM warns if code of another class loader registers native methods
     * of the JDK. Not initialised, a class costs the start next to nothing.
     */
    private static void register(List<String> names) {
        Map<Object, Object> owners = new HashMap<>();
        for (String owner : names) {
            Class<?> type = JdkAccess.classIfPresent(JdkAccess.CHANNELS + '.' + owner);
            if (type != null) {
                owners.put(owner, type);
                owners.compute(owner, new SocketCalls());
            }
        }
    }

    /** Replaces the methods of a class, and returns null; the name is that in {@code sun.nio.ch}. */
    @Override
    public native Object apply(Object name, Object owner);

    /** Returns null, or why the methods stay as they are. */
    private static native String prepare(boolean forced, boolean deferring, String folder);

    /** What tells whether the kernel spoils the return stack. */
    private static native String evidence();

    /** The methods that are replaced, or those that are not in this JDK or not needed there. */
    private static native String names(boolean replaced);
}
