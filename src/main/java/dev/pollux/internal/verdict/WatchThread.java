// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.Room;
import java.security.PrivilegedAction;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that looks at all loops, for what none can tell of itself: that it is blocked, or that its thread has
 * ended. A daemon; it is started when the first wait of a loop is over, and ends when no loop is open and all is said.
 * It also does what would keep a loop's thread for too long, above all to tell what was found. With the detectors off
 * it does nothing else. Safe for use by many threads. It keeps no loop alive, and nothing of the thread that starts
 * it. What goes wrong here is no loop's affair.
 */
public final class WatchThread extends Thread {
    /** The one that runs, or null. Guarded by the class; read without it, for which an old value is good enough. */
    private static WatchThread running;

    /** When it could not be started. Racy: then it is tried once more. */
    private static long failed = System.nanoTime() - Limits.SECOND;

    /** Guarded by the class. */
    private static final Queue<Runnable> TASKS = new ArrayDeque<>();

    /** Whether anything was submitted that can't wait. Guarded by the class. */
    private static boolean isUrgent;

    /** Tasks that had no room. Guarded by the class. */
    private static long omitted;

    /** Time without pauses of the process: what has passed up to {@link #read}, when it was read last. */
    private static long passed;
    private static long read = System.nanoTime();

    /** No reading of the clock counts for more than this. */
    private static long longest = Long.MAX_VALUE;

    /** Stack for calls as deep as those that load what looks, generously. */
    private static final int RESERVE_FRAMES = 512;

    private static volatile boolean areClassesLoaded;

    private long periodMillis = Limits.MAX_PERIOD_MILLIS;

    /** Whether a loop may soon count as blocked, as of the last look. */
    private boolean isFine;

    /** When that was, by {@link #clock}. */
    private long looked;

    private boolean isAllSaid;

    /** Once for the whole VM, by whichever thread runs then. */
    private static boolean areMistakesTold;

    private WatchThread(ThreadGroup group) {
        super(group, null, "Pollux-watch", 0, false);
        setDaemon(true);
        setContextClassLoader(null);
    }

    /** Starts the thread unless it runs: whether it does. This is on the way of a loop's first wait. */
    static boolean require() {
        try {
            if (running == null && System.nanoTime() - failed >= Limits.SECOND) {
                startOne();
            }
        } catch (RuntimeException | Error e) {
            Loops.caught = e; // at a limit of threads, say: it is tried again later
            failed = System.nanoTime();
        }
        return running != null;
    }

    private static synchronized void startOne() {
        if (running == null) {
            WatchThread made = Privileged.withoutCaller(new PrivilegedAction<WatchThread>() {
                @Override
                public WatchThread run() { // a lambda would take longer here
                    return inOutermostGroup();
                }
            });
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

    /** Has the thread do this soon: false if it has too much to do. */
    public static boolean submit(Runnable task) {
        synchronized (WatchThread.class) {
            if (TASKS.size() == Limits.MAX_TASKS) {
                omitted++;
                return false;
            }
            TASKS.add(task);
            isUrgent = true;
            WatchThread.class.notifyAll();
        }
        require();
        return true;
    }

    /** Has a lack of stack be noticed before a class of ours is loaded, unless all are. */
    static void requireStack() {
        if (!areClassesLoaded) {
            Room.requireStack(RESERVE_FRAMES);
        }
    }

    /** Time that passes only while the process runs, as far as is known: there is no thread to tell if none runs. */
    static synchronized long clock() {
        return passed + Math.min(longest, System.nanoTime() - read);
    }

    /**
     * Reads the clock. Until it is read again, no more than that passes: in a pause of the whole process no loop could
     * have done anything, so if this thread is late that counts for little.
     */
    private static synchronized void advance(long most) {
        passed = clock();
        read = System.nanoTime();
        longest = most;
    }

    /** Has the thread do this when it looks next: false if it has too much to do, or can't be started. */
    public static boolean submitLater(Runnable task) {
        return require() && add(task) && require(); // it may have ended before it was given the task
    }

    private static synchronized boolean add(Runnable task) {
        return TASKS.size() < Limits.MAX_TASKS && TASKS.add(task);
    }

    @Override
    public void run() {
        try {
            long blocked = TimeUnit.NANOSECONDS.toMillis(Detectors.blockedNanos());
            periodMillis = blocked == 0 ? Limits.MAX_PERIOD_MILLIS
                    : Math.max(Limits.MIN_PERIOD_MILLIS, Math.min(Limits.MAX_PERIOD_MILLIS, blocked / Limits.LOOKS));
            pause();
            watch();
        } finally {
            onEnd();
        }
    }

    /** What this thread loads at first would delay the first connections of a program that has just started. */
    private void pause() {
        synchronized (WatchThread.class) {
            if (!isUrgent) {
                waitFor(periodMillis);
            }
        }
    }

    /** Until there is a task. Who holds the class calls this. */
    private static void waitFor(long millis) {
        try {
            WatchThread.class.wait(millis);
        } catch (InterruptedException e) {
            // by someone who interrupts all threads: it goes on
        }
    }

    private void watch() {
        looked = clock();
        prepare();
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = turn();
            } catch (RuntimeException | Error e) {
                Loops.caught = e; // it looks again
            }
        }
    }

    /** Before all else: later there may be no room for it. */
    private void prepare() {
        try {
            isAllSaid = say();
        } catch (RuntimeException | Error e) {
            Loops.caught = e; // it is tried again
        }
    }

    /** Waits, and does what is to be done: whether there is more. */
    private boolean turn() {
        long millis = isFine ? Math.min(Limits.FINE_MILLIS, periodMillis) : periodMillis;
        long wait = isAllSaid ? millis : Math.min(millis, Limits.UNSAID_MILLIS);
        isAllSaid = false;
        advance(TimeUnit.MILLISECONDS.toNanos(wait + Limits.FINE_MILLIS));
        Runnable task = awaitTask(wait);
        advance(Long.MAX_VALUE); // from here on it is no pause of the process that keeps the thread
        if (task != null) {
            task.run();
        }
        long now = clock();
        if (Detectors.areOn() && now - looked >= TimeUnit.MILLISECONDS.toNanos(periodMillis)) {
            looked = now;
            isFine = Verdicts.look();
        }
        isAllSaid = say();
        return isNeeded(isAllSaid);
    }

    /** Has the herald prepare, and say what it could not say before: whether all is said. */
    private boolean say() {
        Herald herald = Verdicts.herald();
        if (herald == null) {
            return true;
        }
        if (!herald.isPrepared()) {
            return false;
        }
        areClassesLoaded = true;
        if (!areMistakesTold) {
            areMistakesTold = true;
            Detectors.mistakes().forEach(herald::warn);
        }
        Throwable caught = Loops.takeCaught();
        if (caught != null) {
            Unexpected.caught("what a loop's own thread does for insight", caught);
        }
        Unexpected.takeUnsaid().forEach(herald::warn);
        long lost = takeOmitted();
        if (lost != 0) {
            herald.warn(lost + " findings were not told, since too many came at once");
        }
        return herald.sayPending() && Loops.caught == null;
    }

    private static synchronized long takeOmitted() {
        long lost = omitted;
        omitted = 0;
        return lost;
    }

    /** Also by an error: then the next loop starts another one. */
    private void onEnd() {
        synchronized (WatchThread.class) {
            running = running == this ? null : running;
            longest = Long.MAX_VALUE;
        }
    }

    private static boolean isNeeded(boolean isAllSaid) {
        synchronized (WatchThread.class) {
            boolean isNeeded = !TASKS.isEmpty() || !isAllSaid || Detectors.areOn() && !Loops.unordered().isEmpty();
            if (!isNeeded) {
                running = null;
            }
            return isNeeded;
        }
    }

    /** The next task, or null if there is none for a while. */
    private Runnable awaitTask(long millis) {
        synchronized (WatchThread.class) {
            if (TASKS.isEmpty()) {
                waitFor(millis);
            }
            return TASKS.poll();
        }
    }
}
