// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Who has called a method of a loop: the stack from the first call that is neither Pollux's nor NIO's. Stateless. */
public final class Caller {
    /** More of a stack is not told. */
    private static final int MAX_CALLS = 32;

    private static final int PRODUCT_PARTS = 2;

    private Caller() {
    }

    /** {@return the stack of this thread, a call on each line, innermost first; empty if all of it is ours} */
    static String stack() {
        return StackWalker.getInstance().walk(calls -> calls.dropWhile(call -> isOurs(call.getClassName()))
                .limit(MAX_CALLS).map(call -> "at " + call + '\n').collect(Collectors.joining()));
    }

    /** {@return the same stack, for a log to print after the message} */
    public static Throwable throwable(String message) {
        Throwable shown = new Throwable(message);
        shown.setStackTrace(Arrays.stream(shown.getStackTrace()).dropWhile(call -> isOurs(call.getClassName()))
                .toArray(StackTraceElement[]::new));
        return shown;
    }

    /** {@return what a thread does, for a log to print after the message} */
    public static Throwable shown(String threadName, StackTraceElement... calls) {
        Throwable shown = new Throwable("thread \"" + Printable.of(threadName) + '"');
        shown.setStackTrace(calls);
        return shown;
    }

    /** {@return the first two parts of a class's package: {@code io.netty}, {@code org.eclipse}} */
    public static String product(String className) {
        String[] parts = className.split("\\.");
        return String.join(".", Arrays.copyOf(parts, Math.min(PRODUCT_PARTS, parts.length - 1)));
    }

    public static boolean isOurs(String name) {
        String inPackage = name.substring(0, Math.max(name.lastIndexOf('.'), 0));
        return inPackage.equals("dev.pollux") || name.startsWith("dev.pollux.server.StreamServer")
                || inPackage.startsWith("dev.pollux.internal.")
                || inPackage.equals("sun.nio.ch") || inPackage.startsWith("java.nio.channels")
                || name.equals("java.security.AccessController"); // through which we open selectors
    }
}
