// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.util.List;
import java.util.Locale;

/** The two providers that are compared. */
enum Side {
    JDK("sun.nio.ch."),
    POLLUX("dev.pollux.");

    private final String selectors;

    Side(String selectors) {
        this.selectors = selectors;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether there are selectors, and all of them this side's. */
    boolean owns(List<String> classes) {
        return !classes.isEmpty() && classes.stream().allMatch(name -> name.startsWith(selectors));
    }
}
