// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.StackReserve;
import java.io.IOException;
import java.lang.System.Logger.Level;
import jdk.jfr.FlightRecorder;

/**
 * Has a {@link JfrObserver} observe a loop once JFR runs. To initialise a class of events would start JFR, which takes
 * longer than all else on the way to the first selector; to listen for its start takes JDK 17 eleven milliseconds.
 *
 * <p>What goes wrong here is not the loop's affair: it loses an event, and goes on. Threads as {@link JfrObserver}. No
 * allocation before JFR runs.
 */
final class RecordingObserver implements LoopObserver {
    /** Stack for calls as deep as those that initialise a class of events, generously. */
    private static final int RESERVE_FRAMES = 1024;

    /** A class of events could not be initialised, and the VM will not try that again. */
    private static volatile boolean isLost;

    /** It refers to this observer, and nothing else does: so it is not kept by us. */
    private final Loop loop;
    private LoopObserver observer = NONE;

    RecordingObserver(Loop loop) {
        this.loop = loop;
    }

    private LoopObserver observer() {
        if (observer == NONE && FlightRecorder.isInitialized() && !isLost) {
            observer = make();
        }
        return observer;
    }

    /** With our own permissions: JFR asks for some when a class of events is initialised. */
    private LoopObserver make() {
        StackReserve.require(RESERVE_FRAMES);
        try {
            return Privileged.isNeeded() ? Privileged.run(() -> new JfrObserver(loop)) : new JfrObserver(loop);
        } catch (IOException | LinkageError e) {
            isLost = true;
            System.getLogger("dev.pollux").log(Level.WARNING, "Pollux's events of the Flight Recorder are lost", e);
            return NONE;
        }
    }

    @Override
    public void onOpened() {
        try {
            observer().onOpened();
        } catch (RuntimeException | Error e) {
            return; // see the comment of the class
        }
    }

    @Override
    public void onClosed() {
        try {
            observer().onClosed();
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onResume() {
        try {
            observer().onResume();
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onPause() {
        try {
            observer().onPause();
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onBusy(long selections, long ready) {
        try {
            observer().onBusy(selections, ready);
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onReportDue() {
        try {
            observer().onReportDue();
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public boolean recordsRefusals() {
        try {
            return observer().recordsRefusals();
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    @Override
    public void onRefused(String reason) {
        try {
            observer().onRefused(reason);
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onSpin(SpinReport report) {
        try {
            observer().onSpin(report);
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onWakeupStorm(WakeupStormReport report) {
        try {
            observer().onWakeupStorm(report);
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    @Override
    public void onBlocked(BlockedLoopReport report) {
        try {
            observer().onBlocked(report);
        } catch (RuntimeException | Error e) {
            return;
        }
    }
}
