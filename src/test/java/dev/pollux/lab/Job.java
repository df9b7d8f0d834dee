// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A thread with a result, of which a test can find out that it sleeps in a selection or in an await of a Poller.
 * Closing interrupts it and waits a little: one that a failed test left selecting ends when its selector is closed.
 */
public final class Job<T> implements AutoCloseable {

    private final FutureTask<T> task;
    private final Thread thread;
    private volatile String nativeId;

    public Job(Callable<T> body) {
        task = new FutureTask<>(() -> {
            nativeId = currentNativeId();
            return body.call();
        });
        thread = new Thread(task, "test-job");
        thread.setDaemon(true);
        thread.start();
    }

    /** The kernel's number of the calling thread; where there is no proc(5), nobody needs it. */
    public static String currentNativeId() throws Exception {
        if (!Descriptors.PROC) {
            return "";
        }
        return Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
    }

    public Thread thread() {
        return thread;
    }

    public String nativeId() {
        return nativeId;
    }

    public boolean isDone() {
        return task.isDone();
    }

    /**
     * Interrupts the thread, also at the moment in which it begins to select. JDK 17 looks first whether the thread is
     * blocked in a channel, and sets the status afterwards; a selection that begins in between learns of neither. The
     * second interrupt looks after the status was set, which is the order of later JDKs.
     */
    public void interrupt() {
        thread.interrupt();
        thread.interrupt();
    }

    /** The value of the body, or what it threw, wrapped. */
    public T result() throws Exception {
        return task.get(30, TimeUnit.SECONDS);
    }

    /** Returns once the thread sleeps inside a selection or an await, in native code. */
    public void awaitSelecting() throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!sleepsInSelect()) {
            if (task.isDone() || System.nanoTime() > deadline) {
                throw new AssertionError("the thread should be blocked in a selection, done: " + task.isDone());
            }
            Thread.sleep(1);
        }
    }

    /** Returns once a tracer holds the thread in a native method of Pollux. */
    public void awaitHeldUp() throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!isHeldUp()) {
            if (task.isDone() || System.nanoTime() > deadline) {
                throw new AssertionError("the thread should be held up, done: " + task.isDone());
            }
            Thread.sleep(1);
        }
    }

    private boolean isHeldUp() {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod() && stack[0].getClassName().startsWith("dev.pollux.")
                && isInState('t');
    }

    private boolean sleepsInSelect() throws Exception {
        if (nativeId == null || !isInNativeSelect()) {
            return false;
        }
        if (!Descriptors.PROC) { // where a thread's state can't be read: it must be found there twice
            Thread.sleep(20);
            return isInNativeSelect();
        }
        return isInState('S');
    }

    private boolean isInNativeSelect() {
        StackTraceElement[] stack = thread.getStackTrace();
        if (stack.length == 0 || !stack[0].isNativeMethod()) {
            return false;
        }
        boolean selecting = false;
        for (StackTraceElement frame : stack) {
            selecting |= frame.getMethodName().equals("doSelect")
                    || frame.getMethodName().startsWith("await") && frame.getClassName().equals("dev.pollux.Poller");
        }
        return selecting;
    }

    /** What proc(5) says of the thread: S is asleep, t stopped by a tracer. */
    private boolean isInState(char state) {
        try {
            String stat = Files.readString(Path.of("/proc/self/task/" + nativeId + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == state;
        } catch (java.io.IOException e) {
            return false; // the thread has ended
        }
    }

    @Override
    public void close() {
        try {
            thread.join(50);
            if (thread.isAlive()) {
                thread.interrupt();
                thread.join(TimeUnit.SECONDS.toMillis(2));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
