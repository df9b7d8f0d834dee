// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/**
 * Threads of one test; the first thing that one of them throws is thrown by {@link #close}, which waits for all
 * and fails if one does not end: a lost wakeup shows itself by its stack trace, not by jtreg's time-out.
 */
public final class Threads implements AutoCloseable {

    /** What no test comes near, on any machine. */
    private static final long PATIENCE_MILLIS = 60_000;

    private final List<Thread> started = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();  // guarded by itself

    Thread start(String name, Check.Body body) {
        Thread thread = new Thread(() -> run(body), name);
        thread.setDaemon(true);
        started.add(thread);
        thread.start();
        return thread;
    }

    private void run(Check.Body body) {
        try {
            body.run();
        } catch (Throwable e) {
            e.printStackTrace();
            synchronized (failures) {
                failures.add(e);
            }
        }
    }

    boolean failed() {
        synchronized (failures) {
            return !failures.isEmpty();
        }
    }

    @Override
    public void close() {
        for (Thread thread : started) {
            end(thread);
        }
        synchronized (failures) {
            if (!failures.isEmpty()) {
                throw new AssertionError(failures.size() + " threads failed", failures.get(0));
            }
        }
    }

    private static void end(Thread thread) {
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting for " + thread.getName(), e);
        }
        if (thread.isAlive()) {
            AssertionError stuck = new AssertionError(thread.getName() + " does not end");
            stuck.setStackTrace(thread.getStackTrace());
            throw stuck;
        }
    }
}
