// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a thread that does not select is in the code of its loop. A program that calls a library which selects, and
 * then does something for itself, owes the loop nothing: Kafka's consumer is used like that. It is told from an event
 * loop by two stacks: that of a wait, and that of now. They begin with the same calls. The last of these is made by
 * the same product as the call of {@code select} if it is a loop's handler or task that runs now. Stateless.
 */
final class LoopCode {
    /** The first two parts of a package's name are its product's: {@code io.netty}, {@code org.eclipse}. */
    private static final int PRODUCT_PARTS = 2;

    private static final List<String> JDK = List.of("java.", "jdk.", "sun.");

    private LoopCode() {
    }

    /** As the class says; true if the stack of a wait is not known. */
    static boolean isIn(StackTraceElement[] now, Throwable wait) {
        StackTraceElement[] current = visible(now);
        StackTraceElement[] waiting = wait == null ? current : visible(wait.getStackTrace());
        int common = common(current, waiting);
        String selecting = Stream.of(waiting).map(StackTraceElement::getClassName)
                .filter(name -> !Caller.isOurs(name)).findFirst().orElse("");
        return common != 0 && (selecting.startsWith("java.lang.")
                || product(current[current.length - common].getClassName()).equals(product(selecting)));
    }

    /** Whether a thread that has selected for the program has nothing of it left to do: it is idle in its pool, say. */
    static boolean hasLeft(StackTraceElement[] now, Throwable wait) {
        return now.length != 0 && Stream.of(visible(now)).allMatch(LoopCode::isJdks)
                && wait != null && !Stream.of(visible(wait.getStackTrace()))
                        .filter(call -> !Caller.isOurs(call.getClassName())).allMatch(LoopCode::isJdks);
    }

    private static boolean isJdks(StackTraceElement call) {
        return JDK.stream().anyMatch(call.getClassName()::startsWith);
    }

    /** Without the calls through hidden classes: the stack of another thread has those of lambdas, our own has not. */
    private static StackTraceElement[] visible(StackTraceElement[] stack) {
        return Stream.of(stack).filter(call -> call.getClassName().indexOf('/') < 0)
                .toArray(StackTraceElement[]::new);
    }

    /** How many calls, from the outermost on, both stacks have. */
    private static int common(StackTraceElement[] a, StackTraceElement[] b) {
        int n = 0;
        while (n < Math.min(a.length, b.length) && isSame(a[a.length - 1 - n], b[b.length - 1 - n])) {
            n++;
        }
        return n;
    }

    private static boolean isSame(StackTraceElement a, StackTraceElement b) {
        return a.getClassName().equals(b.getClassName()) && a.getMethodName().equals(b.getMethodName());
    }

    private static String product(String className) {
        String[] parts = className.split("\\.");
        return String.join(".", Arrays.copyOf(parts, Math.min(PRODUCT_PARTS, parts.length - 1)));
    }
}
