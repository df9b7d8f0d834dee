// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

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
    PACED;

    /** As the command line, the table and the files of figures name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The processors of the server, as taskset(1) takes them. */
    public String serverProcessors() {
        return this == FREE ? all() : "0";
    }

    /** The processors of the peers. */
    public String loadProcessors() {
        int last = Runtime.getRuntime().availableProcessors() - 1;
        return this == FREE ? all() : this == SHARED || last == 0 ? "0" : "1-" + last;
    }

    private static String all() {
        return "0-" + (Runtime.getRuntime().availableProcessors() - 1);
    }
}
