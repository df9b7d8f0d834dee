// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import java.util.stream.Stream;

/**
 * The time that has passed since a loop has selected, and how much of it is the loop's own: what its thread had no
 * processor for is not, nor what a thread had no processor for that it waits for. So a machine that has too much to do
 * makes no loop blocked. Where that can't be told all time is the loop's own. Guarded by {@link Verdicts}.
 */
final class Stretch {
    long nanos;
    long own;

    /** As of the last time that passed; null if they are not known. */
    private ProcessorTimes times;

    /** Of the last time that passed: how much of it the thread neither had a processor nor lacked one. */
    private long asleep;
    private boolean isRunning;

    /** When that was, by the clock: a look may be late. */
    private long looked = System.nanoTime();

    /** What was found by the last look at the thread's place; null if there was none. */
    private StackTraceElement[] place;
    private ProcessorTimes.OfAll others;

    /** Begins again, with time that has passed already. */
    void begin(long passed) {
        nanos = passed;
        own = passed;
        times = null;
        place = null;
        others = null;
        asleep = 0;
        isRunning = false;
    }

    /** So much time has passed without a selection. */
    void pass(Thread thread, FirstWait wait, long passed) {
        ProcessorTimes before = times;
        times = thread == null || wait == null ? null : wait.times(thread);
        long lacked = before == null || times == null ? 0 : Math.min(passed, times.lacked() - before.lacked());
        long had = before == null || times == null ? 0 : times.had() - before.had();
        lacked = lacked * Limits.NOTABLE < passed ? 0 : lacked;
        nanos += passed;
        own += passed - lacked;
        asleep = Math.max(0, passed - lacked - had);
        long now = System.nanoTime();
        isRunning = had * Limits.RUNNING >= now - looked;
        looked = now;
    }

    /**
     * Whether the thread is where it was at the last look, or has run all the time since, so that it does not matter
     * where. What it had to wait for since another thread had no processor is taken out of its own time.
     */
    boolean isSamePlace(Thread thread, StackTraceElement... now) {
        StackTraceElement[] before = place;
        place = now;
        if (!isRunning && waitsForThread(thread, now)) {
            ProcessorTimes.OfAll earlier = others;
            others = ProcessorTimes.OfAll.now();
            long lacked = earlier == null ? 0 : others.since(earlier, LockOwner.of(thread).thread());
            own -= lacked * Limits.NOTABLE < asleep ? 0 : Math.min(asleep, lacked);
        } else {
            others = null;
        }
        return isRunning || before != null && isSame(before, now);
    }

    /** Whether it may wait for another thread: it neither sleeps for a time nor is in a call of the system. */
    private static boolean waitsForThread(Thread thread, StackTraceElement... now) {
        if (now.length == 0) {
            return false;
        }
        boolean isSleeping = Stream.of(now).limit(2).anyMatch(call ->
                call.getClassName().equals("java.lang.Thread") && call.getMethodName().startsWith("sleep"));
        return !isSleeping && (thread.getState() != Thread.State.RUNNABLE || !now[0].isNativeMethod());
    }

    /** Whether three quarters of the shorter stack are in both, from the outermost call on. */
    private static boolean isSame(StackTraceElement[] a, StackTraceElement[] b) {
        int shorter = Math.min(a.length, b.length);
        return LoopCode.common(a, b, shorter) * 4 >= shorter * 3;
    }
}
