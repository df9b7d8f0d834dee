// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a thread that does not select is in the code of its loop. A program that calls a library which selects, and
 * then does something for itself, owes the loop nothing: Kafka's consumer is used like that. It is told from an event
 * loop by two stacks: that of a wait, and that of now. They begin with the same calls. The last of these is made by
 * the same product as the call of {@code select} if it is a loop's handler or task that runs now. If the method that
 * has called {@code select} is called no more, the thread must have waited like a loop as well. Stateless.
 */
final class LoopCode {
    private static final List<String> JDK = List.of("java.", "jdk.", "sun.");

    private LoopCode() {
    }

    /** Whether that is so of the loop's thread, whose stack is given, as far as is known. */
    static boolean isIn(StackTraceElement[] now, LoopStatistics statistics) {
        Throwable wait = statistics.firstWait();
        return isIn(now, wait) && (isInMethod(now, wait) || isUsedAsLoop(statistics.busyStretches(),
                isInClass(now, wait)));
    }

    /** As the class says; true if the stack of a wait is not known. */
    static boolean isIn(StackTraceElement[] now, Throwable wait) {
        StackTraceElement[] current = visible(now);
        StackTraceElement[] waiting = wait == null ? current : visible(wait.getStackTrace());
        int common = common(current, waiting);
        String selecting = className(waiting, selecting(waiting));
        return common != 0 && (isOurLoop(selecting)
                || Caller.product(current[current.length - common].getClassName()).equals(Caller.product(selecting)));
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

    /** Whether the method that has called {@code select} is called still: then it is a loop's beyond doubt. */
    private static boolean isInMethod(StackTraceElement[] now, Throwable wait) {
        StackTraceElement[] waiting = wait == null ? visible(now) : visible(wait.getStackTrace());
        int selecting = selecting(waiting);
        return isOurLoop(className(waiting, selecting)) || common(visible(now), waiting) >= waiting.length - selecting;
    }

    /** Whether the last call that both stacks have is in the class that calls {@code select}. */
    private static boolean isInClass(StackTraceElement[] now, Throwable wait) {
        StackTraceElement[] waiting = visible(wait.getStackTrace());
        int common = common(visible(now), waiting);
        return className(waiting, waiting.length - common).equals(className(waiting, selecting(waiting)));
    }

    /**
     * Whether a method is called again and again that waits. Once is no loop: a program may wait for a connection, and
     * then go on. If it mostly takes its time between two waits, only a class that does both is a loop's.
     *
     * @param stretches from one wait to the next, as {@link BusyTimes#histogram}; before the first wait there is one
     */
    static boolean isUsedAsLoop(long[] stretches, boolean isInClass) {
        long all = stretches[BusyTimes.BOUNDS] - 1;
        long shorter = stretches[BusyTimes.SECOND_BOUND] - 1;
        return all > 0 && (isInClass || shorter * 4 >= all * 3);
    }

    /** Index of the call of {@code select}; the length if all of the stack is ours. */
    private static int selecting(StackTraceElement[] stack) {
        int i = 0;
        while (i < stack.length && Caller.isOurs(stack[i].getClassName())) {
            i++;
        }
        return i;
    }

    private static String className(StackTraceElement[] stack, int i) {
        return i < stack.length ? stack[i].getClassName() : "";
    }

    private static boolean isOurLoop(String selecting) {
        return selecting.startsWith("java.lang.");
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
}
