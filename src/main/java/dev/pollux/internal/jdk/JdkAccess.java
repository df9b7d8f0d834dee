// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.util.List;

/**
 * The way into the JDK's internal packages. Nothing of {@code sun.nio.ch} may be touched before an object of this
 * class exists.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class JdkAccess {

    /** The package of the JDK's channels and selectors. */
    public static final String CHANNELS = "sun.nio.ch";

    private final String way;

    /** Opens {@link #CHANNELS} to a module without asking the package's owner. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Opens the package.
         *
         * @param base the module that has the package
         * @param to   the module that shall see into it
         * @return 0, or a negative number if this JDK offers no way
         */
        int openChannels(Module base, Module to);
    }

    private JdkAccess(String way) {
        this.way = way;
    }

    /**
     * Gains access to the JDK's channels: it is there already (by flag or agent), or the native library brings it.
     *
     * @return the access
     * @throws IOException if there is no way, and then the message names the flags that open one; or if a class is
     *     missing
     */
    public static JdkAccess acquire() throws IOException {
        Module base = Object.class.getModule();
        Module ours = JdkAccess.class.getModule();
        boolean given = base.isOpen(CHANNELS, ours);
        return acquire(given, given ? 0 : JdkNatives.openChannels(base, ours));
    }

    /**
     * As {@link #acquire()}, by another way.
     *
     * @param opener the way that needs no flag
     */
    public static JdkAccess acquire(Opener opener) throws IOException {
        Module base = Object.class.getModule();
        Module ours = JdkAccess.class.getModule();
        boolean given = base.isOpen(CHANNELS, ours);
        return acquire(given, given ? 0 : opener.openChannels(base, ours));
    }

    private static JdkAccess acquire(boolean given, int opened) throws IOException {
        if (opened != 0) {
            Module ours = JdkAccess.class.getModule();
            String name = ours.isNamed() ? ours.getName() : "ALL-UNNAMED";
            throw new IOException("the package " + CHANNELS + " of JDK " + Runtime.version()
                    + " can't be opened from native code; start the VM with --add-opens java.base/" + CHANNELS + '='
                    + name + " --enable-native-access=" + name);
        }
        loadClasses();
        return new JdkAccess(given ? "opened before Pollux started (--add-opens or agent)"
                : "opened by the native library");
    }

    /**
     * The internal classes that ours are compiled against. They are loaded as soon as access is gained: under a
     * security manager the class loader asks for a permission that Pollux has and its callers need not have.
     */
    public static List<String> compiledAgainst() {
        return List.of("sun.nio.ch.DirectBuffer", "sun.nio.ch.Net", "sun.nio.ch.NioSocketImpl", "sun.nio.ch.SelChImpl",
                "sun.nio.ch.SelectionKeyImpl", "sun.nio.ch.SelectorImpl");
    }

    private static void loadClasses() throws IOException {
        for (String name : compiledAgainst()) {
            try {
                Class.forName(name, false, JdkAccess.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw classIfPresent(name) == null ? missing("class " + name, e) : hidden(e);
            }
        }
        initializeDispatcher();
    }

    /**
     * Its initialiser opens two descriptors, of which one stays. Without us that happens when the first channel is
     * closed. If no more may be open then, no channel of this VM can be closed properly any more. Here there is room.
     */
    private static void initializeDispatcher() {
        String newer = CHANNELS + ".UnixDispatcher";
        String name = classIfPresent(newer) == null ? CHANNELS + ".FileDispatcherImpl" : newer;
        try {
            Class.forName(name, true, null);
        } catch (ClassNotFoundException | LinkageError e) {
            return; // no selector needs it
        }
    }

    private static IOException hidden(ClassNotFoundException cause) {
        return new IOException("the class loader of Pollux does not find the package " + CHANNELS + " of the JDK. In an"
                + " OSGi framework, add the package to the setting org.osgi.framework.bootdelegation", cause);
    }

    /** {@return how access was gained, for people} */
    public String way() {
        return way;
    }

    /** A class of java.base, not initialised; null if this platform or version has none of that name. */
    static Class<?> classIfPresent(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    static IOException missing(String member, Throwable cause) {
        return new IOException(lacking(member), cause);
    }

    /** {@return what is wrong with a JDK that has no such member, and what to do} */
    static String lacking(String member) {
        return "JDK " + Runtime.version() + " lacks the " + member
                + ": please use a JDK from 17 to 27, or a newer Pollux";
    }
}
