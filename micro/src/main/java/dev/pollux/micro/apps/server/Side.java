// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.util.List;
import java.util.Locale;

/** The two implementations of selectors that are compared. */
public enum Side {
    /** The JDK's default. */
    JDK("sun.nio.ch."),

    /** Pollux, which comes as one property and one more entry of the class path. */
    POLLUX("dev.pollux.");

    private final String selectors;

    Side(String selectors) {
        this.selectors = selectors;
    }

    /** The name in files of figures. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name for people. */
    public String label() {
        return this == JDK ? "the JDK" : "Pollux";
    }

    /** Whether there are selectors, and all of them this side's. */
    public boolean owns(List<String> classes) {
        return !classes.isEmpty() && classes.stream().allMatch(name -> name.startsWith(selectors));
    }
}
