// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.util.List;
import java.util.function.ToIntBiFunction;

/** Access to the JDK's internal packages. Nothing of {@code sun.nio.ch} may be touched before it was gained. */
public final class JdkAccess {

    /**
     * The newest JDK that was tried: feature release. The pages name it where they say what is supported, which {@code
     * JdksTest} compares, or where a result is of it.
     */
    public static final int MAX_JDK = 28;

    /** The package of the JDK's channels and selectors. */
    public static final String CHANNELS = "sun.nio.ch";

    /** Used by a Poller that watches a {@code java.net.Socket}. */
    private static final String OF_SOCKETS = "sun.nio.ch.NioSocketImpl";

    private JdkAccess() {
    }

    /** {@return how access to the JDK's channels was gained: by a flag, an agent, or else the native library} */
    public static String acquire() throws IOException {
        return acquire(null);
    }

    /**
     * As {@link #acquire()}, for tests.
     *
     * @param opener opens the package of one module to another, and returns 0 if it did; null for the native library
     * @throws IOException if a class is missing, or nothing opens the package; then the message names the flags that do
     */
    public static String acquire(ToIntBiFunction<Module, Module> opener) throws IOException {
        Module base = Object.class.getModule();
        Module ours = JdkAccess.class.getModule();
        boolean given = base.isOpen(CHANNELS, ours);
        if (!given && (opener == null ? JdkNatives.openChannels(base, ours) : opener.applyAsInt(base, ours)) != 0) {
            String name = ours.isNamed() ? ours.getName() : "ALL-UNNAMED";
            throw new IOException("the package " + CHANNELS + " of JDK " + Runtime.version()
                    + " can't be opened from native code; start the VM with --add-opens java.base/" + CHANNELS + '='
                    + name + " --enable-native-access=" + name);
        }
        loadClasses();
        return given ? "opened before Pollux started (--add-opens or agent)" : "opened by the native library";
    }

    /**
     * The internal classes that ours are compiled against. They are loaded as soon as access is gained: under a
     * security manager the class loader asks for a permission that Pollux has and its callers need not have. Without
     * one, those that selectors do not use are left out.
     */
    public static List<String> compiledAgainst() {
        return List.of("sun.nio.ch.DirectBuffer", "sun.nio.ch.Net", OF_SOCKETS, "sun.nio.ch.SelChImpl",
                "sun.nio.ch.SelectionKeyImpl", "sun.nio.ch.SelectorImpl");
    }

    private static void loadClasses() throws IOException {
        for (String name : compiledAgainst()) {
            try {
                if (Privileged.isNeeded() || !name.equals(OF_SOCKETS)) {
                    Class.forName(name, false, JdkAccess.class.getClassLoader());
                }
            } catch (ClassNotFoundException e) {
                throw classIfPresent(name) == null ? missing("class " + name, e) : hidden(e);
            }
        }
        initializeDispatcher();
    }

    /**
     * Its initialiser opens two descriptors, without us when the first channel is closed. If no more may be open then,
     * no channel of this VM can be closed properly any more. Here there is room.
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
                + ": please use a JDK from 17 to " + MAX_JDK + ", or a newer Pollux";
    }
}
