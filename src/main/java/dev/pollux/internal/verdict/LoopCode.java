// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.BusyTimes;
import dev.pollux.internal.count.LoopStatistics;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a thread that does not select is in the code of its loop. A program that calls a library which selects, and
 * then does something for itself, owes the loop nothing: Kafka's consumer is used like that. It is told from an event
 * loop by two stacks: that of a wait, and that of now. They begin with the same calls. The last of these is made by
 * the same product as the call of {@code select} if it is a loop's handler or task that runs now. If the method that
 * has called {@code select} is called no more, the thread must have waited like a loop as well. Immutable.
 */
final class LoopCode {
    private static final List<String> JDK = List.of("java.", "jdk.", "sun.");

    private final StackTraceElement[] now;
    private final StackTraceElement[] waiting;

    /**
     * How many calls, from the outermost on, both stacks have, without those of ours: in the action of {@code
     * select(Consumer)} the selection has not returned.
     */
    private final int common;

    /** Where in the stack of the wait {@code select} is called; its length if all of it is ours. */
    private final int selecting;

    /** What is not known of a wait counts as what is so now. */
    private LoopCode(StackTraceElement[] now, FirstWait wait) {
        this.now = visible(now);
        this.waiting = wait == null ? this.now : visible(wait.stack());
        int i = 0;
        while (i < waiting.length && Caller.isOurs(waiting[i].getClassName())) {
            i++;
        }
        this.selecting = i;
        this.common = common(this.now, waiting, waiting.length - i);
    }

    /** Whether that is so of the loop's thread, whose stack is given, as far as is known. */
    static boolean isIn(StackTraceElement[] now, FirstWait wait, LoopStatistics statistics) {
        LoopCode code = new LoopCode(now, wait);
        return code.isOfProduct() && (code.isInMethod() || isUsedAsLoop(statistics.busyStretches(), code.isInClass()));
    }

    /** As the class says, of a thread that has waited like a loop. */
    static boolean isIn(StackTraceElement[] now, FirstWait wait) {
        return new LoopCode(now, wait).isOfProduct();
    }

    private boolean isOfProduct() {
        return common != 0 && (isOurLoop()
                || Caller.product(now[now.length - common].getClassName()).equals(Caller.product(selectingClass())));
    }

    /** Whether the method that has called {@code select} is called still: then it is a loop's beyond doubt. */
    private boolean isInMethod() {
        return isOurLoop() || common >= waiting.length - selecting;
    }

    /** Whether the last call that both stacks have is in the class that calls {@code select}. */
    private boolean isInClass() {
        return waiting[waiting.length - common].getClassName().equals(selectingClass());
    }

    private String selectingClass() {
        return selecting < waiting.length ? waiting[selecting].getClassName() : "";
    }

    private boolean isOurLoop() {
        return selectingClass().startsWith("java.lang.");
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

    /** Whether a thread that has selected for the program has nothing of it left to do: it is idle in its pool, say. */
    static boolean hasLeft(StackTraceElement[] now, FirstWait wait) {
        return now.length != 0 && Stream.of(visible(now)).allMatch(LoopCode::isJdks)
                && wait != null && !Stream.of(visible(wait.stack()))
                        .filter(call -> !Caller.isOurs(call.getClassName())).allMatch(LoopCode::isJdks);
    }

    /** {@return the innermost call of these that is the program's; of the JDK's if there is no other one} */
    static Optional<StackTraceElement> ofProgram(StackTraceElement... calls) {
        return Stream.of(calls).filter(call -> !isJdks(call) && !Caller.isOurs(call.getClassName())).findFirst()
                .or(() -> Stream.of(calls).findFirst());
    }

    private static boolean isJdks(StackTraceElement call) {
        return JDK.stream().anyMatch(call.getClassName()::startsWith);
    }

    /** Without the calls through hidden classes: the stack of another thread has those of lambdas, our own has not. */
    private static StackTraceElement[] visible(StackTraceElement[] stack) {
        return Stream.of(stack).filter(call -> call.getClassName().indexOf('/') < 0).toArray(StackTraceElement[]::new);
    }

    /** {@return how many calls, from the outermost on, are in both} No more than that are looked at. */
    static int common(StackTraceElement[] a, StackTraceElement[] b, int max) {
        int n = 0;
        while (n < Math.min(max, Math.min(a.length, b.length)) && isSame(a[a.length - 1 - n], b[b.length - 1 - n])) {
            n++;
        }
        return n;
    }

    private static boolean isSame(StackTraceElement a, StackTraceElement b) {
        return a.getClassName().equals(b.getClassName()) && a.getMethodName().equals(b.getMethodName());
    }
}
