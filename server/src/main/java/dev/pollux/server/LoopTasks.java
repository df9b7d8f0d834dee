// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.util.ArrayDeque;
import java.util.concurrent.Future;

/**
 * The tasks of a loop's connections: runs each as a call of its connection's handler, at its time or soon.
 *
 * <p>{@link #schedule} and {@link #execute} are for any thread, the rest is for the loop's. Allocation: for each task.
 */
final class LoopTasks {
    private final LoopThread thread;
    private final LoopEvents events;
    private final TaskWheel wheel = new TaskWheel(System.nanoTime());
    private final ArrayDeque<LoopTask> due = new ArrayDeque<>();

    LoopTasks(LoopThread thread, LoopEvents events) {
        this.thread = thread;
        this.events = events;
    }

    /** Has a task run at that time, {@link System#nanoTime}, unless it is cancelled or its connection ends before. */
    Future<?> schedule(HeldConnection held, long nanoTime, Runnable task) {
        LoopTask later = new LoopTask(held, nanoTime, task, this::unschedule);
        if (thread.isCurrent()) {
            add(later, true);
        } else {
            thread.post(() -> add(later, thread.isCurrent()));
        }
        return later;
    }

    /** What the loop's thread is not told of in time is gone with the loop. */
    private void add(LoopTask task, boolean isRunning) {
        if (isRunning && !task.isDone() && task.held().addTask(task)) {
            wheel.add(task, System::nanoTime);
        } else {
            task.cancel(false);
        }
    }

    /** A task was cancelled, by any thread, or is to be run. */
    private void unschedule(LoopTask task) {
        if (thread.isCurrent()) {
            wheel.remove(task);
            task.held().removeTask(task);
        } else {
            thread.post(() -> {
                if (thread.isCurrent()) {
                    unschedule(task);
                }
            });
        }
    }

    void execute(HeldConnection held, Runnable task) {
        LoopTask soon = new LoopTask(held, 0, task, this::unschedule);
        thread.post(() -> {
            if (thread.isCurrent()) {
                run(soon);
            }
        });
    }

    private void run(LoopTask task) {
        HeldConnection held = task.held();
        try {
            events.run(held, task);
        } catch (Throwable e) {
            events.onFailure(held.number(), e);
        }
    }

    void runDue() {
        if (wheel.isEmpty()) {
            return;
        }
        wheel.takeDue(System.nanoTime(), due);
        for (LoopTask task = due.poll(); task != null; task = due.poll()) {
            unschedule(task);
            run(task);
        }
    }

    /** As {@link LoopTimer#nanosToWait}. */
    long nanosToWait() {
        return wheel.isEmpty() ? Long.MAX_VALUE : wheel.nanosToWait(System.nanoTime());
    }
}
