// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.WatchThread;
import java.io.IOException;
import jdk.jfr.FlightRecorder;

/**
 * Has a {@link JfrObserver} observe a loop once JFR runs. To initialise a class of events would start JFR, which takes
 * longer than all else on the way to the first selector; to listen for its start takes JDK 17 eleven milliseconds.
 *
 * <p>What goes wrong here is not the loop's affair: it loses an event, and goes on. Threads as {@link JfrObserver}. No
 * allocation before JFR runs.
 */
final class RecordingObserver extends LoopInsight {
    /** A class of events could not be initialised, and the VM will not try that again. */
    private static volatile boolean isLost;

    /** The classes of events are initialised. */
    private static volatile boolean isReady;

    private LoopObserver observer = NONE;

    RecordingObserver(Loop loop) {
        super(loop);
    }

    private static boolean isRecordable() {
        return !isLost && FlightRecorder.isInitialized() && (isReady || Room.isThere());
    }

    private LoopObserver observer() {
        if (observer == NONE && isRecordable()) {
            observer = make();
        }
        return observer;
    }

    /** With our own permissions: JFR asks for some when a class of events is initialised. */
    private LoopObserver make() {
        try {
            LoopObserver made = Privileged.isNeeded() ? Privileged.run(() -> new JfrObserver(loop))
                    : new JfrObserver(loop);
            isReady = true;
            return made;
        } catch (IOException | LinkageError e) {
            isLost = true;
            WatchThread.submit(() -> WarningLog.REFUSALS.warn("Pollux's events of the Flight Recorder are lost", e));
            return NONE;
        }
    }

    /** Records what was found, if JFR runs. */
    static void commit(Loop loop, Thread thread, Evidence evidence) {
        if (isRecordable()) {
            JfrObserver.commit(loop, thread, evidence);
            isReady = true;
        }
    }

    private static void onError(Throwable e) {
        Unexpected.caught("the recording of an event", e);
    }

    @Override
    public void onOpened() {
        try {
            observer().onOpened();
        } catch (RuntimeException | Error e) {
            onError(e);
        }
    }

    @Override
    public void onClosed() {
        try {
            observer().onClosed();
        } catch (RuntimeException | Error e) {
            onError(e);
        }
    }

    @Override
    public void onResume() {
        try {
            observer().onResume();
        } catch (RuntimeException | Error e) {
            onError(e);
        }
    }

    @Override
    public void onPause() {
        try {
            observer().onPause();
        } catch (RuntimeException | Error e) {
            onError(e);
        }
    }

    @Override
    public void onBusy(long selections, long ready) {
        try {
            observer().onBusy(selections, ready);
        } catch (RuntimeException | Error e) {
            onError(e);
        }
    }

    @Override
    public void onReportDue() {
        try {
            observer().onReportDue();
        } catch (RuntimeException | Error e) {
            onError(e);
        }
    }

    @Override
    public boolean recordsRefusals() {
        try {
            return super.recordsRefusals() || observer().recordsRefusals();
        } catch (RuntimeException | Error e) {
            onError(e);
            return false;
        }
    }
}
