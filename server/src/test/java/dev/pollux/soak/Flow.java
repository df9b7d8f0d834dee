// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

/**
 * Something that has to go on for ever: a connection, two threads that wake each other. If it stops, an event or a
 * wakeup was lost. How long it stands still is counted in looks of the watching thread, and not by a clock: a machine
 * that is suspended for a minute has lost nothing. Any thread may call {@link #beat}, the watching one the rest.
 */
final class Flow {
    private final String name;
    private volatile int looks;

    Flow(String name) {
        this.name = name;
    }

    /** Called at each step. */
    void beat() {
        looks = 0;
    }

    /** Called once a second. A beat that comes in the middle is overwritten, and the next one counts. */
    int look() {
        int seen = looks + 1;
        looks = seen;
        return seen;
    }

    @Override
    public String toString() {
        return name + ": idle for " + looks + " s";
    }
}
