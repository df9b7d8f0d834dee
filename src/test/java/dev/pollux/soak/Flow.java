// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import java.util.concurrent.TimeUnit;

/**
 * Something that has to go on for ever: a connection, two threads that wake each other. If it stops, an event or a
 * wakeup was lost. Any thread may call it.
 */
final class Flow {
    private final String name;
    private volatile long last = System.nanoTime();

    Flow(String name) {
        this.name = name;
    }

    /** Called at each step. */
    void beat() {
        last = System.nanoTime();
    }

    long idleSeconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - last);
    }

    @Override
    public String toString() {
        return name + ": idle for " + idleSeconds() + " s";
    }
}
