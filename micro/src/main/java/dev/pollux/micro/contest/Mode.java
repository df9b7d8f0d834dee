// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import java.util.Locale;

/** How a server is loaded, and where it and its peers run. */
public enum Mode {
    /** The server on the first processor, its peers on the others, --outstanding requests at a time. */
    FULL,
    /** The same, with nothing bound to a processor. */
    FREE,
    /** The same, with all on the first processor. */
    SHARED,
    /** As FULL, with --rate requests a second by the clock. */
    PACED,
    /** As FREE, with --rate requests a second by the clock. */
    PACED_FREE;

    /** As the tables and the files of figures name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean isPaced() {
        return this == PACED || this == PACED_FREE;
    }

    boolean isFree() {
        return this == FREE || this == PACED_FREE;
    }

    /** The processors of the server, as taskset(1) takes them. */
    String serverProcessors() {
        return isFree() ? all() : "0";
    }

    /** The processors of the peers. */
    String loadProcessors() {
        int last = Runtime.getRuntime().availableProcessors() - 1;
        return isFree() ? all() : this == SHARED || last == 0 ? "0" : "1-" + last;
    }

    private static String all() {
        return "0-" + (Runtime.getRuntime().availableProcessors() - 1);
    }
}
