// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.verdict.Detectors;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.FirstWait;
import dev.pollux.internal.verdict.Verdicts;
import dev.pollux.internal.verdict.WatchThread;
import java.io.IOException;
import java.lang.ref.WeakReference;
import jdk.jfr.FlightRecorder;

/**
 * Observes one loop: for the verdict on it, for the log, and once JFR runs by a {@link JfrObserver}. To initialise a
 * class of events would start JFR, which takes longer than all else on the way to the first selector; to listen for
 * its start takes JDK 17 eleven milliseconds. What goes wrong here is not the loop's affair: it loses an event, and
 * goes on. Threads as {@link JfrObserver}. No allocation before JFR runs.
 */
public final class Insight implements LoopObserver {
    /** JFR's classes are touched only if they are there. */
    private static final boolean HAS_JFR =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent() && finds("jdk.jfr.FlightRecorder");

    /** Stack and memory for calls as deep as those that load what is used first, generously: see {@link Room}. */
    private static final int RESERVE_FRAMES = 512, RESERVE_BLOCKS = 16;

    /** What has failed is tried again after that. */
    private static final long RETRY_NANOS = 1_000_000_000;

    /** When a loop could not be watched, and when there was no room for events. Racy: then it is tried once more. */
    private static long failed = System.nanoTime() - RETRY_NANOS;
    private static long crowded = System.nanoTime() - RETRY_NANOS;

    /** Whether what looks at loops was loaded. */
    private static volatile boolean isInUse;

    /** A class of events could not be initialised, and the VM will not try that again. */
    private static volatile boolean areEventsLost;

    /** The classes of events are initialised. */
    private static volatile boolean areEventsReady;

    /** Whether {@link Teller} has a listener. Kept here, so that a refusal loads no class where the stack may end. */
    static volatile boolean isHeard;

    /** Whether JMX was asked for is known, and the MBean is registered if so. */
    private static volatile boolean isJmxDecided;

    /** It refers to this observer, and nothing else does: so it is not kept by us. Null of the first one. */
    private final Loop loop;
    private LoopObserver recorder = NONE;

    private Insight(Loop loop) {
        this.loop = loop;
    }

    /** The class loader of an OSGi framework may find less than the runtime has. */
    private static boolean finds(String name) {
        try {
            Class.forName(name, false, Insight.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Loops that are opened from now on are observed. */
    public static void install() {
        Loops.observeBy(new Insight(null));
    }

    @Override
    public LoopObserver of(Loop other) {
        return new Insight(other);
    }

    /** Loads nothing unless JMX is asked for. */
    @Override
    public void onAdded() {
        if (!isJmxDecided) {
            try {
                isJmxDecided = !Boolean.getBoolean(Jmx.PROPERTY) || Jmx.registerOrLog();
            } catch (RuntimeException | Error e) {
                isJmxDecided = true; // the code that opens this loop may not read the property, say
                Loops.caught = e;
            }
        }
    }

    /** What this loads is loaded by a loop's own thread, perhaps near the end of its stack: then it is told again. */
    @Override
    public boolean onUse() {
        if (System.nanoTime() - failed < RETRY_NANOS) {
            return false;
        }
        try {
            reserve();
            boolean isWatched = watch();
            failed = isWatched ? failed : System.nanoTime();
            return isWatched;
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            failed = System.nanoTime();
            return false;
        }
    }

    /** Leaves to the watch thread all that takes more classes: this is on the way to a program's first connection. */
    private boolean watch() {
        if (Detectors.areOn()) {
            return WatchThread.submitLater(new FirstUse(new WeakReference<>(loop), new FirstWait()));
        }
        Teller.install();
        return true;
    }

    private record FirstUse(WeakReference<Loop> loop, FirstWait firstWait) implements Runnable {
        @Override
        public void run() {
            Teller.install();
            Loop used = loop.get();
            if (used != null) {
                Verdicts.onUse(used, firstWait);
            }
        }
    }

    @Override
    public void onRefused(String reason) {
        try {
            reserve();
            Teller.install();
            Verdicts.onRefused(loop, reason);
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    /** By another thread: the loop's holds locks. */
    @Override
    public void onWarning(String message) {
        try {
            reserve();
            Teller.install();
            WatchThread.submit(new Teller.Warning(message));
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    /** At once, since the program may end soon; what can't be said now the watch thread says. */
    @Override
    public void warn(String message) {
        reserve();
        Teller.install();
        WarningLog.log(message, null);
        WatchThread.submit(() -> { });
    }

    /** Has what is missing be noticed before a class of ours is initialised, which happens but once. */
    private static void reserve() {
        if (!isInUse) {
            Room.requireStack(RESERVE_FRAMES);
            Room.requireMemory(RESERVE_BLOCKS);
            isInUse = true;
        }
    }

    private static boolean isRecordable() {
        return HAS_JFR && !areEventsLost && FlightRecorder.isInitialized() && (areEventsReady || hasRoom());
    }

    /** To look costs much more than a wait, so that a "no" holds for a second. */
    private static boolean hasRoom() {
        if (System.nanoTime() - crowded < RETRY_NANOS) {
            return false;
        }
        boolean isThere = Room.isThere();
        crowded = isThere ? crowded : System.nanoTime();
        return isThere;
    }

    private LoopObserver recorder() {
        if (recorder == NONE && isRecordable()) {
            recorder = makeRecorder();
        }
        return recorder;
    }

    /** With our own permissions: JFR asks for some when a class of events is initialised. */
    private LoopObserver makeRecorder() {
        try {
            LoopObserver made = Privileged.isNeeded() ? Privileged.run(() -> JfrObserver.made(loop))
                    : JfrObserver.made(loop);
            areEventsReady = true;
            return made;
        } catch (IOException | LinkageError e) {
            areEventsLost = true;
            WatchThread.submit(() -> WarningLog.log("Pollux's events of the Flight Recorder are lost", e));
            return NONE;
        }
    }

    /** Records what was found, if JFR runs. */
    static void record(Loop loop, Thread thread, Evidence evidence) {
        try {
            if (isRecordable()) {
                JfrFinding.commit(loop, thread, evidence);
                areEventsReady = true;
            }
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    @Override
    public void on(Moment moment, long selections, long ready) {
        try {
            recorder().on(moment, selections, ready);
            if (isInUse && moment == Moment.REPORT_DUE) {
                Verdicts.keepWatching();
            } else if (isInUse && moment == Moment.CLOSED) {
                Verdicts.forget(loop);
            }
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    @Override
    public boolean recordsRefusals() {
        try {
            return isHeard || recorder().recordsRefusals();
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            return false;
        }
    }
}
