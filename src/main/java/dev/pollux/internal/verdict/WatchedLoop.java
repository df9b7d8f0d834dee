// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.verdict.Verdict.Kind;

/**
 * Decides the {@link Verdict} on one loop, look by look. It keeps neither the loop nor its thread alive.
 *
 * <p>A loop is stalled if it has not selected for {@link Limits#STALLED_NANOS} and there are events or a wakeup. It is
 * blocked if that lasts for {@link Detectors#blockedNanos}, its thread is in the {@linkplain LoopCode code of the
 * loop}, and is found at the same place by two looks ({@link Stretch}). That is told once it is so, again after ten
 * times as long, and so on; and once when the loop goes on. Its thread is lost if that has ended or left, something
 * waits for it, and none has taken its place for {@link Limits#LOST_NANOS}.
 *
 * <pre>
 *   NONE --- no selection, events ---> STALLED --- for long, in the loop's code ---> BLOCKED
 *     ^---------------- the loop selects, or waits -----------------------------------'
 *   NONE --- thread ended or left, something waits ---> LOST_THREAD --- a thread selects ---> NONE
 *   NONE --- the selecting thread has found it ---> SPINS, WAKEUP_STORM --- it blocks, is woken seldom ---> NONE
 *   NONE --- the rates are those of a storm ---> WOKEN;  something is refused ---> REFUSES
 * </pre>
 *
 * <p>{@link #look} is guarded by {@link Verdicts}, {@link #found} is for any thread, as is what reads.
 */
final class WatchedLoop {
    private final long blockedNanos;
    private final Rates rates = new Rates();

    /** Null before the first wait is over. */
    volatile FirstWait firstWait;

    private volatile Verdict verdict = Verdict.NONE;

    /** What the selecting thread has found, while that lasts; null if nothing. */
    private volatile SpinReport spin;
    private volatile WakeupStormReport storm;

    /** The first of {@link Rates} that says whether that lasts. */
    private volatile long checked;

    /** Why a key made the loop spin last, and its channel; empty if none did. */
    volatile String lastSpin = "";

    /** Why the mechanism has refused a channel, as told last; empty if it has refused none. */
    private volatile String lastRefusal = "";

    /** Of the last thread that was seen, which may have ended. */
    volatile String threadName = "";

    /** The selections at the last look. */
    private volatile long selections = -1;

    /** How the time has passed since the loop has selected. */
    private final Stretch stretch = new Stretch();

    /** When the next warning is due. */
    private long next;

    /** The keys when the thread was found ended; -1 before. */
    private int keysBefore;

    private boolean isLossReported;

    /** Whether it was looked where the thread is since it selected, and whether it was not in the loop's code. */
    private boolean isLocated;
    private boolean isElsewhere;

    WatchedLoop(long blockedNanos) {
        this.blockedNanos = blockedNanos;
    }

    /** By the watch thread, soon after the loop has waited. */
    void setFirstWait(FirstWait wait) {
        wait.stack(); // from now on it keeps no class alive
        firstWait = wait;
        threadName = wait.threadName;
    }

    /** The selecting thread has found that. It is so as long as the loop's rates allow it. */
    synchronized void found(Evidence evidence) {
        checked = rates.nextWindow();
        if (evidence instanceof SpinReport found) {
            spin = found;
            lastSpin = found.summary();
        } else if (evidence instanceof WakeupStormReport found) {
            storm = found;
        } else if (evidence instanceof Evidence.Refusal found) {
            lastRefusal = found.summary();
        }
        worsen(evidence.kind(), evidence.summary());
    }

    /** The channel that made the loop spin is registered no more; one that is registered again and again may be. */
    synchronized void onSpinOver() {
        spin = spin == null || spin.why() == SpinKind.REGISTERED_AGAIN ? spin : null;
    }

    /** Shows it at once; the next look decides again. */
    private void worsen(Kind kind, String evidence) {
        Verdict known = verdict;
        if (kind.compareTo(known.kind()) < 0) {
            verdict = new Verdict(kind, System.nanoTime(), evidence);
        }
    }

    /** The verdict as of the last look; what the loop has done since may have ended it. */
    Verdict verdict(LoopStatistics statistics) {
        Verdict known = verdict;
        boolean isOver = known.kind().isStalled()
                && (statistics.isWaiting() || statistics.count(Counter.SELECTIONS) != selections);
        return isOver ? Verdict.NONE : known;
    }

    /** Looks again after this time, without pauses of the process: what tells what was found; null if nothing was. */
    Runnable look(Loop loop, boolean isLeftAlone, long passed) {
        LoopStatistics statistics = loop.statistics();
        long current = statistics.count(Counter.SELECTIONS);
        Thread thread = statistics.thread();
        if (thread != null) {
            threadName = thread.getName();
        }
        rates.look(statistics);
        if (!statistics.isUsed() || isLeftAlone || current != selections || statistics.isWaiting()) {
            Runnable over = onActivity(loop, current, isLeftAlone, passed);
            decide(loop, thread, isLeftAlone, null);
            return over;
        }
        stretch.pass(thread, firstWait, passed);
        Evidence evidence = find(loop, thread);
        decide(loop, thread, false, evidence);
        return evidence == null ? null : new Verdicts.Telling(loop, thread, evidence, true);
    }

    private Runnable onActivity(Loop loop, long current, boolean isLeftAlone, long passed) {
        LoopStatistics statistics = loop.statistics();
        Runnable over = next <= blockedNanos || isLeftAlone ? null : new Verdicts.Over("Now "
                + BlockedLoopReport.name(loop) + " goes on: it was blocked for "
                + BlockedLoopReport.seconds(stretch.nanos + passed) + '.');
        selections = current;
        boolean isOneHandler = !isLeftAlone && statistics.busySelections() <= 1;
        stretch.begin(isOneHandler ? Math.min(statistics.busyNanos(), passed) : 0);
        verdict = verdict.kind().isStalled() ? Verdict.NONE : verdict; // if it is so again, it is since now
        next = blockedNanos;
        keysBefore = -1;
        isLossReported = false;
        isLocated = false;
        isElsewhere = false;
        return over;
    }

    /** Whether it may be stalled, and has not been looked at for long enough to know. */
    boolean isUndecided(Loop loop) {
        LoopStatistics statistics = loop.statistics();
        return verdict.kind() == Kind.NONE && statistics.busyNanos() >= Limits.STALLED_NANOS && loop.isReadable()
                && statistics.count(Counter.SELECTIONS) == selections && stretch.nanos < Limits.STALLED_NANOS;
    }

    /** Whether it is busy, but not for long enough yet. */
    boolean mayBecomeBlocked() {
        return stretch.own != 0 && stretch.own < blockedNanos;
    }

    /** What is found of a loop that has not selected since the last look, and is to be told; null if nothing is. */
    private Evidence find(Loop loop, Thread thread) {
        if (stretch.own >= Limits.LEFT_NANOS && !isLocated) {
            locate(loop, thread);
        }
        if (thread == null || !thread.isAlive()) {
            return findLoss(loop, "has ended");
        }
        if (stretch.own >= Limits.LOST_NANOS && loop.isListening()
                && LoopCode.hasLeft(thread.getStackTrace(), firstWait)) {
            return findLoss(loop, "has left its loop, and is idle in its pool");
        }
        return blockedNanos == 0 || loop.size() == 0 || !hasEvents(loop) ? null : findBlock(loop, thread);
    }

    /** What the mechanism reports may be of a key that was cancelled, or has no interest any more. */
    private static boolean hasEvents(Loop loop) {
        return loop.isWoken() || loop.isReadable() && loop.isInterested();
    }

    private Evidence findBlock(Loop loop, Thread thread) {
        if (stretch.own * 2 < next) {
            return null;
        }
        StackTraceElement[] stack = thread.getStackTrace();
        boolean isInLoop = LoopCode.isIn(stack, firstWait, loop.statistics()) && !loop.statistics().isWaiting();
        boolean isSame = stretch.isSamePlace(thread, stack);
        if (!isInLoop || !isSame || stretch.own < next) {
            return null;
        }
        Evidence report = BlockedLoopReport.of(loop, thread, stretch.nanos, stretch.own, stack);
        while (next <= stretch.own) {
            next *= Limits.NEXT;
        }
        loop.statistics().add(Counter.BLOCKAGES, 1);
        return report;
    }

    /** One that lives on elsewhere, as a pool's does until it ends for lack of work, is not lost with its end. */
    private void locate(Loop loop, Thread thread) {
        isLocated = true;
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        isElsewhere = stack.length != 0 && !LoopCode.isIn(stack, firstWait, loop.statistics());
    }

    /** A selector that its program has left alone is lost to none: something must wait for it. */
    private Evidence findLoss(Loop loop, String how) {
        int keys = loop.size();
        boolean isAwaited = keys > keysBefore && keysBefore >= 0 || keys != 0 && hasEvents(loop);
        keysBefore = keysBefore < 0 ? keys : keysBefore;
        if (isLossReported || !isAwaited || stretch.own < Limits.LOST_NANOS || isElsewhere && !loop.isListening()
                || loop.statistics().threads() > Limits.MAX_THREADS) {
            return null;
        }
        Evidence report = new Evidence.LostThread(BlockedLoopReport.name(loop), threadName, how);
        isLossReported = true;
        loop.statistics().add(Counter.LOST_THREADS, 1);
        return report;
    }

    /** The worst that is true now. What was true before began when it did. */
    private synchronized void decide(Loop loop, Thread thread, boolean isLeftAlone, Evidence evidence) {
        if (next > blockedNanos && (thread == null || !thread.isAlive() || loop.size() == 0)) {
            next = blockedNanos; // nothing is kept waiting by it any more
        }
        boolean isChecked = rates.isOver(checked);
        boolean isSpinning = spin != null && (!isChecked || rates.mayBeSpinning);
        boolean isStorm = storm != null && (!isChecked || rates.isStorm);
        if (evidence != null) {
            set(evidence.kind(), evidence.summary());
        } else if (isLossReported) {
            set(Kind.LOST_THREAD, verdict.evidence());
        } else if (next > blockedNanos && blockedNanos != 0) {
            set(Kind.BLOCKED, verdict.evidence());
        } else if (!isLeftAlone && isStalled(loop, thread)) {
            set(Kind.STALLED, "it has not selected, though there are events");
        } else if (isSpinning) {
            set(Kind.SPINS, spin.summary());
        } else if (isStorm) {
            set(Kind.WAKEUP_STORM, storm.summary());
        } else if (rates.isStorm) {
            set(Kind.WOKEN, rates.wakeupsPerSecond + "/s"
                    + (storm == null ? "" : "; when that was found to be for nothing: " + storm.summary()));
        } else if (loop.refused() > 0 || rates.isRefused()) {
            set(Kind.REFUSES, lastRefusal);
        } else {
            set(isLeftAlone ? Kind.LEFT_ALONE : Kind.NONE, "");
        }
    }

    private boolean isStalled(Loop loop, Thread thread) {
        return stretch.nanos >= Limits.STALLED_NANOS && thread != null && thread.isAlive()
                && !loop.statistics().isWaiting() && (loop.isReadable() || loop.isWoken());
    }

    private void set(Kind kind, String evidence) {
        Verdict known = verdict;
        long since = known.kind() == kind ? known.since() : System.nanoTime() - beganBefore(kind);
        if (known.kind() != kind || !known.evidence().equals(evidence)) {
            verdict = new Verdict(kind, since, evidence);
        }
    }

    /** How long ago that began which is found only now. */
    private long beganBefore(Kind kind) {
        return kind.isStalled() || kind == Kind.LOST_THREAD ? stretch.nanos : 0;
    }
}
