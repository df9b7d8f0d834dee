// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;

/**
 * Runs our own work with our own permissions, so that under a security manager a caller needs none for it. Without
 * lambda expressions: the first one of a VM takes some ten milliseconds, and this is on the way to the first selector.
 */
public final class Privileged {
    /** The first JDK that has no security manager any more (JEP 486); there we stay away from what may vanish. */
    private static final int NO_SECURITY_MANAGER = 24;

    /** Work that may fail as input and output does. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException;
    }

    private Privileged() {
    }

    /** {@return the result of this work} */
    public static <T> T run(Work<T> work) throws IOException {
        return isNeeded() ? runAsPollux(work) : work.run();
    }

    /** {@return whether there is a security manager} If not, a caller that asks first loads no class for the work. */
    @SuppressWarnings("removal")
    public static boolean isNeeded() {
        return Runtime.version().feature() < NO_SECURITY_MANAGER && System.getSecurityManager() != null;
    }

    /**
     * {@return what is made, with nothing of who has called} A thread keeps the protection domains of those that have
     * called its constructor, and so their class loaders (up to JDK 23).
     */
    @SuppressWarnings("removal")
    public static <T> T withoutCaller(PrivilegedAction<T> making) {
        return Runtime.version().feature() < NO_SECURITY_MANAGER ? AccessController.doPrivileged(making) : making.run();
    }

    @SuppressWarnings("removal")
    private static <T> T runAsPollux(Work<T> work) throws IOException {
        try {
            return AccessController.doPrivileged(new PrivilegedExceptionAction<T>() {
                @Override
                public T run() throws IOException {
                    return work.run();
                }
            });
        } catch (PrivilegedActionException e) {
            throw (IOException) e.getException();
        }
    }
}
