// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.util.Locale;

/** Who is at the ends of the connection. */
enum Mode {
    ONE("In one thread, for which everything is there already when it waits"),

    /** They may share a processor if the other one is busy. Then switching threads takes the time, not waking them. */
    TWO("Between two threads, where the system puts them"),

    PINNED("Between two threads, each bound to a processor of its own");

    private final String title;

    Mode(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** The word on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
