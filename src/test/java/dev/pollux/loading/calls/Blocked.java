// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;

/** A thread in a call that does not return by itself. */
final class Blocked {
    private static final long DEADLINE = System.nanoTime() + 100_000_000_000L;

    private FutureTask<String> task;
    private Thread thread;
    private volatile Path self;

    /**
     * Starts the call and returns once it is blocked. A full socket may have room again, on a busy machine a while
     * later: then the call is made again, until there is none.
     */
    Blocked(boolean virtual, Transcript.Call call) throws Exception {
        start(virtual, call);
        while (!isBlocked(virtual)) {
            if (System.nanoTime() > DEADLINE || task.isDone() && !task.get().matches("\\d+, interrupted false")) {
                throw new IllegalStateException("it should be blocked: " + (task.isDone() ? task.get() : thread));
            }
            if (task.isDone()) {
                start(virtual, call);
            }
            Thread.sleep(1);
        }
    }

    private void start(boolean virtual, Transcript.Call call) throws ReflectiveOperationException {
        self = null;
        task = new FutureTask<>(() -> {
            self = virtual ? null : Files.readSymbolicLink(Path.of("/proc/thread-self"));
            return Transcript.outcome(call) + ", interrupted " + Thread.currentThread().isInterrupted();
        });
        thread = virtual ? virtual(task) : new Thread(task, "blocked");
        if (!virtual) {
            thread.setDaemon(true);
            thread.start();
        }
    }

    private boolean isBlocked(boolean virtual) throws Exception {
        return virtual ? thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING
                : sleepsInTheKernel();
    }

    /** JDK 17, which compiles this, has no virtual threads. */
    private static Thread virtual(Runnable task) throws ReflectiveOperationException {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        return (Thread) start.invoke(null, task);
    }

    private boolean sleepsInTheKernel() throws Exception {
        StackTraceElement[] stack = thread.getStackTrace();
        if (self == null || stack.length == 0 || !stack[0].isNativeMethod()
                || !stack[0].getClassName().startsWith("sun.nio.ch.")) {
            return false;
        }
        String stat = Files.readString(Path.of("/proc").resolve(self).resolve("stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2) == 'S';
    }

    /** The native method that it is in, also if it is about to be in it again. */
    String where() throws InterruptedException {
        StackTraceElement[] stack = thread.getStackTrace();
        for (int i = 0; i < 1000 && stack.length > 0 && !stack[0].isNativeMethod() && thread.isAlive(); i++) {
            Thread.sleep(1);
            stack = thread.getStackTrace();
        }
        return stack.length == 0 ? "nowhere" : stack[0].toString();
    }

    Thread thread() {
        return thread;
    }

    String outcome() throws Exception {
        return task.get();
    }
}
