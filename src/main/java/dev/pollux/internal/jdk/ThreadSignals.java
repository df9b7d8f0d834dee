// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.reflect.Method;

/**
 * The signal that the JDK sends to a thread to end a system call of it. Its handler does nothing. Access to
 * {@code sun.nio.ch} must have been gained. Immutable and safe for use by many threads.
 */
public record ThreadSignals(Method signal, long thread) {

    /**
     * {@return what sends signals to the current thread; null if this system has none} Throws an exception if this JDK
     * does it in another way.
     */
    public static ThreadSignals toCurrentThread() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.nio.ch.NativeThread");
        Method signal = type.getMethod("signal", long.class);
        long thread = (long) type.getMethod("current").invoke(null);
        return thread == 0 || thread == -1 ? null : new ThreadSignals(signal, thread);
    }

    /** Interrupts the system call that the thread is in, if it is in one. The thread must be alive. */
    public void send() throws ReflectiveOperationException {
        signal.invoke(null, thread);
    }
}
