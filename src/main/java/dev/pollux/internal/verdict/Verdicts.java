// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The verdict on each loop that is in use: the one place that decides it, and that all who print it ask. It is decided
 * at each look: of the {@link WatchThread}, twice a second, or of a reader. The thread that has looked tells what was
 * found, unless the detectors are off. Safe for use by many threads; keeps no loop alive. No code that is not ours
 * runs while it holds its lock.
 */
public final class Verdicts {
    private static final Map<Loop, WatchedLoop> WATCHED = new WeakHashMap<>();

    /** Null before start-up. */
    private static volatile Herald herald;

    /** When the last look was, by {@link WatchThread#clock}. Guarded by this class. */
    private static long looked = WatchThread.clock();

    private Verdicts() {
    }

    /** What was found of a loop, on its way to be told. No lambda: its first use may fail. */
    record Telling(Loop loop, Thread thread, Evidence evidence, boolean isLogged) implements Runnable {
        @Override
        public void run() {
            tell(loop, thread, evidence, isLogged);
        }
    }

    /** The log is to say that a loop is blocked no more. */
    record Over(String message) implements Runnable {
        @Override
        public void run() {
            Herald one = herald;
            if (one != null) {
                one.log(Verdict.Kind.BLOCKED, message);
            }
        }
    }

    public static void tellBy(Herald one) {
        herald = one;
    }

    /** {@return the classes here: what looks at loops, and describes what it finds} */
    public static List<Class<?>> classes() {
        return List.of(BlockedLoopReport.class, Caller.class, Detectors.class, Evidence.class,
                Evidence.LostThread.class, Evidence.Refusal.class, FirstWait.class, HandlerFinder.class, Herald.class,
                Limits.class, LockOwner.class, LoopCode.class, LoopSnapshot.class, ProcessorTimes.class,
                ProcessorTimes.OfAll.class, Rates.class, SelectorWatch.class, SelectorWatch.Rebuilds.class,
                ShownStack.class, SpinDetector.class, SpinFound.class, SpinKind.class, SpinReport.class, Stretch.class,
                Suspect.class, Verdict.class, Verdict.Kind.class, Verdicts.class, Over.class, Telling.class,
                WakeupStormReport.class, WakeupStorms.class, WatchThread.class, WatchedKeys.class, WatchedLoop.class);
    }

    /** Does once what takes lambdas and texts, so that nothing of it is done for the first time at a limit. */
    public static void rehearse() {
        Thread current = Thread.currentThread();
        Object small = current.getPriority(), large = System.nanoTime(); // the first boxed ones fill caches
        StringBuilder said = new StringBuilder().append(small).append(large);
        ShownStack stack = ShownStack.of(current.getName(), current.getStackTrace());
        LockOwner owner = LockOwner.NONE;
        for (Evidence each : List.of(
                new SpinReport(SpinKind.NOT_ACCEPTED, 0, "", "", "", 1, 1, "", 0, 0, true, stack, "", ""),
                new WakeupStormReport(0, "", "", false, 0, stack, false, ""),
                new BlockedLoopReport("", "", 0, 2, 1, owner, stack), new Evidence.LostThread("", "", ""),
                new Evidence.Refusal(""))) {
            said.append(each.summary()).append(each);
        }
        HandlerFinder.describe(stack);
        HandlerFinder.stack(current);
        ProcessorTimes.OfAll.now();
        Caller.stack();
        LoopSnapshot.all();
    }

    static Herald herald() {
        return herald;
    }

    /** A loop is in use. */
    public static void onUse(Loop loop, FirstWait wait) {
        of(loop).setFirstWait(wait);
    }

    /** Loops are in use: there is to be a thread that looks at them, also if one has ended by an error. */
    public static void keepWatching() {
        if (Detectors.areOn()) {
            WatchThread.require();
        }
    }

    /** A loop is closed. */
    public static void forget(Loop loop) {
        synchronized (WATCHED) {
            WATCHED.remove(loop);
        }
    }

    static WatchedLoop of(Loop loop) {
        synchronized (WATCHED) {
            return WATCHED.computeIfAbsent(loop, any -> new WatchedLoop(Detectors.blockedNanos()));
        }
    }

    /** {@return the verdict on a loop, as of the last look} */
    public static Verdict on(Loop loop) {
        return of(loop).verdict(loop.statistics());
    }

    /** The mechanism has refused a channel for the first time. */
    public static void onRefused(Loop loop, String reason) {
        Thread thread = Thread.currentThread();
        Evidence.Refusal report = new Evidence.Refusal(reason);
        of(loop).found(report);
        WatchThread.submit(new Telling(loop, thread, report, false));
    }

    /** Tells what was found; the log has it only if {@code isLogged}. */
    static void tell(Loop loop, Thread thread, Evidence evidence, boolean isLogged) {
        Herald one = herald;
        if (one != null) {
            one.tell(loop, thread, evidence, isLogged);
        }
    }

    /** Looks at all loops. {@return whether one of them may soon count as blocked} */
    static boolean look() {
        List<Runnable> found = new ArrayList<>();
        boolean mayBecomeBlocked = false;
        synchronized (Verdicts.class) {
            long now = WatchThread.clock();
            long passed = now - looked;
            looked = now;
            List<Loop> open = Loops.open();
            Set<Loop> leftAlone = leftAlone(open);
            for (Loop loop : open) {
                mayBecomeBlocked |= look(loop, leftAlone.contains(loop), passed, found);
            }
        }
        if (Detectors.areOn()) {
            found.forEach(Runnable::run);
        }
        return mayBecomeBlocked;
    }

    /**
     * {@return those of loops, in the order of their numbers, whose thread has turned to an older one since} A selector
     * that a handler has opened and never closed, say, neither waits nor is busy. A thread that uses a newer one is
     * still in a handler of the older.
     */
    static Set<Loop> leftAlone(List<Loop> loops) {
        Set<Loop> found = new HashSet<>();
        Map<Thread, Long> turned = new HashMap<>();
        long now = System.nanoTime();
        for (Loop loop : loops) {
            LoopStatistics statistics = loop.statistics();
            Thread thread = statistics.thread();
            long since = statistics.stateNanos() - (System.nanoTime() - now);
            Long older = thread == null ? null : turned.get(thread);
            if (older != null && !statistics.isWaiting() && since - older > Limits.SAME_NANOS) {
                found.add(loop);
            }
            if (thread != null && (older == null || since < older)) {
                turned.put(thread, since);
            }
        }
        return found;
    }

    /** What one loop does wrong must not keep it from the others. */
    private static boolean look(Loop loop, boolean isLeftAlone, long passed, List<Runnable> found) {
        try {
            WatchedLoop watched = of(loop);
            Runnable finding = watched.look(loop, isLeftAlone, passed);
            if (finding != null) {
                found.add(finding);
            }
            return watched.mayBecomeBlocked();
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            return false;
        }
    }

    /**
     * Has the verdicts be those of now, as a reader expects. Takes 100 ms if a loop seems to be stalled, and has not
     * been looked at before: it does not note when it has selected.
     */
    static void refresh() {
        if (sinceLook() >= Limits.FRESH_NANOS) {
            look();
        }
        boolean isUndecided = Loops.unordered().stream().anyMatch(loop -> of(loop).isUndecided(loop));
        if (isUndecided && pause()) {
            look();
        }
    }

    private static synchronized long sinceLook() {
        return WatchThread.clock() - looked;
    }

    private static boolean pause() {
        try {
            Thread.sleep(Limits.STALLED_NANOS / Limits.MILLISECOND + 1);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
