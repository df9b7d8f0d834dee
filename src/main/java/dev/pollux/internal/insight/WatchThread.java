// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import dev.pollux.internal.jdk.Privileged;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that looks at all loops, for what none can tell of itself: that it is blocked, or that its thread has
 * ended. A daemon; it is started when the first wait of a loop is over, and ends when no loop is open. It also does
 * what would keep a loop's thread for too long.
 *
 * <p>Safe for use by many threads. It keeps no loop alive. What goes wrong here is no loop's affair.
 */
public final class WatchThread extends Thread {
    /** Time between two looks, unless loops count as blocked much sooner. */
    private static final long MAX_PERIOD_MILLIS = 500;
    private static final long MIN_PERIOD_MILLIS = 10;

    /** While a loop may become blocked the clock is read this often, so that pauses of the process are told. */
    private static final long FINE_MILLIS = 20;

    /** A look is at least this much shorter than the time after which a loop counts as blocked. */
    private static final int LOOKS = 4;

    /** No more tasks wait to be done. */
    private static final int MAX_TASKS = 16;

    /** The one that runs, or null. Guarded by the class; read without it, for which an old value is good enough. */
    private static WatchThread running;

    /** The detectors are off, which the first thread has found. Not found before: it would keep a loop's first wait. */
    private static volatile boolean isOff;

    private final Map<Loop, WatchedLoop> watched = new WeakHashMap<>();

    /** Guarded by the class. */
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    private long periodMillis;

    /** Whether a loop may soon count as blocked, as of the last look. */
    private boolean isFine;

    private WatchThread(ThreadGroup group) {
        super(group, null, "Pollux-watch", 0, false);
        setDaemon(true);
        setContextClassLoader(null);
    }

    /** Starts the thread unless it runs, or the detectors are off. This is on the way of a loop's first wait. */
    static void require() {
        try {
            if (running == null && !isOff) {
                startOne();
            }
        } catch (RuntimeException | Error | IOException e) {
            return; // at a limit of threads, say: the next loop tries again
        }
    }

    private static synchronized void startOne() throws IOException {
        if (running == null) {
            WatchThread made = Privileged.isNeeded() ? Privileged.run(WatchThread::inOutermostGroup)
                    : inOutermostGroup();
            made.start();
            running = made;
        }
    }

    /** With nothing of the program that happens to use the first loop. */
    private static WatchThread inOutermostGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return new WatchThread(group);
    }

    /** Has the thread do this soon; false if it does not run, or has too much to do. */
    public static synchronized boolean submit(Runnable task) {
        if (running == null || running.tasks.size() == MAX_TASKS) {
            return false;
        }
        running.tasks.add(task);
        WatchThread.class.notifyAll();
        return true;
    }

    @Override
    public void run() {
        isOff = !Detectors.areOn();
        long blocked = TimeUnit.NANOSECONDS.toMillis(Detectors.blockedNanos());
        periodMillis = blocked == 0 ? MAX_PERIOD_MILLIS
                : Math.max(MIN_PERIOD_MILLIS, Math.min(MAX_PERIOD_MILLIS, blocked / LOOKS));
        try {
            if (!isOff) {
                Detectors.warnOfUnknownProperties();
            }
            watch();
        } finally {
            onEnd();
        }
    }

    private void watch() {
        long read = System.nanoTime();
        long passed = 0;
        while (isNeeded()) {
            long millis = isFine ? Math.min(FINE_MILLIS, periodMillis) : periodMillis;
            Runnable task = awaitTask(millis);
            try {
                if (task != null) {
                    task.run();
                }
                long now = System.nanoTime();
                passed += withoutPause(now - read, millis);
                read = now;
                if (passed >= TimeUnit.MILLISECONDS.toNanos(periodMillis)) {
                    lookAtAll(passed);
                    passed = 0;
                }
            } catch (RuntimeException | Error e) {
                read = System.nanoTime(); // it looks again
                passed = 0;
            }
        }
    }

    /** In a pause of the whole process no loop could have done anything: that this thread is late counts for little. */
    private static long withoutPause(long nanos, long waitMillis) {
        return Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(waitMillis + FINE_MILLIS));
    }

    /** Also by an error: then the next loop starts another one. */
    private void onEnd() {
        synchronized (WatchThread.class) {
            running = running == this ? null : running;
        }
    }

    private static boolean isNeeded() {
        synchronized (WatchThread.class) {
            boolean isNeeded = !isOff && !Loops.unordered().isEmpty();
            if (!isNeeded) {
                running = null;
            }
            return isNeeded;
        }
    }

    /** The next task, or null if there is none for a while. */
    private Runnable awaitTask(long millis) {
        synchronized (WatchThread.class) {
            try {
                if (tasks.isEmpty()) {
                    WatchThread.class.wait(millis);
                }
            } catch (InterruptedException e) {
                // by someone who interrupts all threads: it goes on
            }
            return tasks.poll();
        }
    }

    private void lookAtAll(long passed) {
        isFine = false;
        List<Loop> open = Loops.open();
        Set<Loop> leftAlone = LeftAlone.among(open);
        for (Loop loop : open) {
            WatchedLoop each = watched.computeIfAbsent(loop, any -> new WatchedLoop());
            each.look(loop, leftAlone.contains(loop), passed);
            isFine |= each.mayBecomeBlocked();
        }
    }
}
