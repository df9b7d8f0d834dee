// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Who has called a method of a loop: the stack from the first call that is neither Pollux's nor NIO's. Stateless. */
public final class Caller {
    private static final int PRODUCT_PARTS = 2;

    private Caller() {
    }

    /** {@return the stack of this thread, a call on each line, innermost first; empty if all of it is ours} */
    public static String stack() {
        return StackWalker.getInstance().walk(calls -> calls.dropWhile(call -> isOurs(call.getClassName()))
                .limit(Limits.MAX_CALLS).map(call -> "at " + call + '\n').collect(Collectors.joining()));
    }

    /** {@return the same stack, for a log to print after the message} */
    static ShownStack shown() {
        Thread current = Thread.currentThread();
        return ShownStack.of(current.getName(), withoutOurs(new Throwable().getStackTrace()));
    }

    /** {@return the calls from the first one on that is neither Pollux's nor NIO's} */
    static StackTraceElement[] withoutOurs(StackTraceElement... calls) {
        return Arrays.stream(calls).dropWhile(call -> isOurs(call.getClassName())).toArray(StackTraceElement[]::new);
    }

    /** {@return the first two parts of a class's package: {@code io.netty}, {@code org.eclipse}} */
    public static String product(String className) {
        String[] parts = className.split("\\.");
        return String.join(".", Arrays.copyOf(parts, Math.min(PRODUCT_PARTS, parts.length - 1)));
    }

    public static boolean isOurs(String name) {
        String inPackage = name.substring(0, Math.max(name.lastIndexOf('.'), 0));
        return inPackage.equals("dev.pollux") || name.startsWith("dev.pollux.server.")
                || inPackage.startsWith("dev.pollux.internal.")
                || inPackage.equals("sun.nio.ch") || inPackage.startsWith("java.nio.channels")
                || name.equals("java.security.AccessController"); // through which we open selectors
    }
}
