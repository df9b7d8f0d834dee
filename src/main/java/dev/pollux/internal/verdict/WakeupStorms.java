// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.pollset.Progress;
import java.nio.channels.ServerSocketChannel;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Finds out that a selector is woken again and again for nothing: thousands of times a second, for a second at least,
 * while hardly a key is ready. Who wakes a selector to have something written, registered or changed is not meant,
 * though no key is ready. So each look at {@value Limits#CHECK_INTERVAL} waits or some more of them counts that
 * has found no key ready: in three quarters of these looks nothing was registered or changed, and no channel was read
 * or written. What is done in a look with ready keys may be done for these. Where reading and writing can't be told of
 * all keys, it is no storm. Nor is it one to wake a loop as an executor, to run a task: it has run one if it does not
 * wait again at once, or if the wakeup comes out of {@link Executor#execute}, or another method that takes a task.
 *
 * <p>Guarded by the selector's lock, except {@link #onWakeup}. Allocates when it is suspicious, and to report a storm,
 * once.
 */
final class WakeupStorms {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final Loop selector;
    private final LoopStatistics statistics;
    private final WatchedKeys keys;

    /** The counters at the last look. */
    private long wakeups;
    private long ready;
    private long changes;
    private long transferred = UNKNOWN;

    /** How many they have grown since the look before. */
    private long woken;
    private long found;
    private long changed;

    /** Looks without a ready key since the storm began, and those of them in which something was done. */
    private int quiet;
    private int usedQuiet;

    /** When the storm began, and how many wakeups there had been; only while {@link #transferred} is known. */
    private long began;
    private long begun;

    private long busyBefore;

    private boolean isReported;

    /** Whether the next waker is to leave its stack. Racy: one of several does. */
    private boolean wantsWaker;
    private ShownStack waker;

    /** Whether the waker has handed over a task. */
    private boolean isTask;

    /** A call of the thread that selects: told if no other thread was seen. */
    private ShownStack ownCall;

    WakeupStorms(Loop selector, WatchedKeys keys) {
        this.selector = selector;
        this.statistics = selector.statistics();
        this.keys = keys;
    }

    /** A selector is woken for nothing, {@code rate} times a second: false if that could not be handed over. */
    static boolean handOver(Loop selector, ShownStack waker, boolean isOwn, long rate, String before) {
        try {
            Thread thread = Thread.currentThread();
            boolean isInterrupted = thread.isInterrupted();
            LoopStatistics statistics = selector.statistics();
            WakeupStormReport report = new WakeupStormReport(statistics.number(), selector.mechanism(),
                    thread.getName(), isInterrupted, rate, isInterrupted ? null : waker, isOwn, before);
            boolean isTaken = WatchThread.submit(new Verdicts.Telling(selector, thread, report, true));
            Verdicts.of(selector).found(report);
            statistics.add(Counter.WAKEUP_STORMS, isTaken ? 1 : 0);
            return isTaken;
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            return false;
        }
    }

    /** The selector was woken. Any thread. */
    void onWakeup() {
        if (wantsWaker) {
            WatchThread.requireStack();
            noteWaker(Thread.currentThread());
        }
    }

    /** A loop wakes itself, too, to look at its selector without waiting: often while another thread is here. */
    private void noteWaker(Thread thread) {
        if (thread != statistics.thread()) {
            wantsWaker = false;
            isTask = isHandingOverTask();
            waker = Caller.shown();
        } else if (ownCall == null) {
            ownCall = Caller.shown();
        }
    }

    /** The method of an executor that is a lambda is in a hidden class. */
    private static boolean isHandingOverTask() {
        Set<StackWalker.Option> options = EnumSet.of(StackWalker.Option.RETAIN_CLASS_REFERENCE,
                StackWalker.Option.SHOW_HIDDEN_FRAMES);
        try {
            return StackWalker.getInstance(options).walk(calls -> calls.limit(Limits.NEAR_CALLS)
                    .anyMatch(call -> isExecute(call) || takesTask(call)));
        } catch (SecurityException e) {
            return false; // the caller of wakeup() may not look at classes
        }
    }

    private static boolean isExecute(StackWalker.StackFrame call) {
        return call.getMethodName().equals("execute") && Executor.class.isAssignableFrom(call.getDeclaringClass());
    }

    /** Those of the JDK run what they are given: {@code Thread} does. */
    private static boolean takesTask(StackWalker.StackFrame call) {
        return !call.getClassName().startsWith("java.") && call.getMethodType().parameterList().stream()
                .anyMatch(type -> type == Runnable.class || type == Callable.class);
    }

    /** There were fewer waits than there would be in a storm. */
    void onFewWaits() {
        transferred = UNKNOWN;
    }

    /** There were this number of waits in less than {@link Limits#MANY_WAITS_NANOS}. */
    void onManyWaits(int waits, long now) {
        long before = transferred;
        transferred = isReported || !isSuspicious(waits) ? UNKNOWN : sumOfTransfers();
        if (transferred == UNKNOWN || before == UNKNOWN) {
            begin(now);
            return;
        }
        if (found == 0) {
            quiet++;
            usedQuiet += changed != 0 || transferred != before ? 1 : 0;
        }
        if (now - began >= Limits.SECOND && quiet >= Limits.MIN_QUIET) {
            decide(now);
        }
    }

    private void begin(long now) {
        began = now;
        begun = wakeups;
        busyBefore = busyNanos();
        quiet = 0;
        usedQuiet = 0;
        waker = null;
        isTask = false;
        wantsWaker = transferred != UNKNOWN;
    }

    private long busyNanos() {
        return statistics.elapsedNanos() - statistics.count(Counter.BLOCKED_NANOS);
    }

    private void decide(long now) {
        long count = wakeups - begun;
        boolean isForTasks = isTask || busyNanos() - busyBefore > count * Limits.USE_NANOS;
        boolean isUsed = isForTasks && !Thread.currentThread().isInterrupted();
        if (isUsed || 4 * usedQuiet > quiet) {
            begin(now);
        } else {
            isReported = handOver(selector, waker == null ? ownCall : waker, waker == null,
                    count * Limits.SECOND / (now - began), ""); // else it is tried again
            wantsWaker = false;
            waker = null;
            ownCall = null;
        }
    }

    /** Whether wakeups ended nearly all waits since the last look, and there was hardly anything else to do. */
    private boolean isSuspicious(int waits) {
        woken = statistics.count(Counter.WAKEUPS) - wakeups;
        found = statistics.count(Counter.READY) - ready;
        changed = statistics.count(Counter.CHANGES) + statistics.count(Counter.LAZY_DISARMS) - changes;
        wakeups += woken;
        ready += found;
        changes += changed;
        return found + changed <= waits / Limits.FEW && woken > waits / 8 * 7L;
    }

    /** The bytes read and written by all keys; {@link #UNKNOWN} if those of one are. */
    private long sumOfTransfers() {
        Progress progress = new Progress();
        long sum = 0;
        int count = 0;
        for (int fd = 0; fd < keys.capacity(); fd++) {
            SelectionKeyImpl key = keys.at(fd);
            if (key != null && !(key.channel() instanceof ServerSocketChannel)) {
                progress.note(((SelChImpl) key.channel()).getFDVal());
                if (!progress.isKnown() || ++count > Limits.MAX_KEYS_ASKED) {
                    return UNKNOWN;
                }
                sum += progress.transferred();
            }
        }
        return sum;
    }
}
