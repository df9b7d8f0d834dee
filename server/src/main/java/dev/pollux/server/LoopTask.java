// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * A task of a connection, which its loop runs at its time: what {@code Connection.schedule} returns. It is cancelled
 * when the connection ends.
 *
 * <p>For the loop's thread, but what {@link java.util.concurrent.Future} has, which is for any.
 */
final class LoopTask extends FutureTask<Void> {
    private final HeldConnection held;
    private final Consumer<LoopTask> onCancel;

    /** When it is due, {@link System#nanoTime}. */
    final long time;

    /** Where a {@link TaskWheel} has it: that list's number, negative if none has, and its neighbours there. */
    int slot = -1;
    LoopTask before;
    LoopTask behind;

    private Throwable thrown;

    LoopTask(HeldConnection held, long time, Runnable task, Consumer<LoopTask> onCancel) {
        super(task, null);
        this.held = held;
        this.time = time;
        this.onCancel = onCancel;
    }

    HeldConnection held() {
        return held;
    }

    /** Runs it, unless it was cancelled; throws what it throws. */
    void runOnce() throws Throwable {
        run();
        if (thrown != null) {
            throw thrown;
        }
    }

    @Override
    protected void setException(Throwable e) {
        thrown = e;
        super.setException(e);
    }

    @Override
    protected void done() {
        if (isCancelled()) {
            onCancel.accept(this);
        }
    }
}
