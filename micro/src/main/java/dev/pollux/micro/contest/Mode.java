// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import java.util.Locale;

/** How a server is loaded, and where it and its peers run; {@code --help} explains them. */
public enum Mode {
    FULL, FREE, SHARED, PACED, PACED_FREE;

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
