// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.util.Locale;

/** A kind with its number of workers: what is compared. */
record Way(Kind kind, int workers) {
    /** As the command line, the table and the files of figures name it. */
    String label() {
        String word = kind.name().toLowerCase(Locale.ROOT);
        return kind.hasWorkers() ? word + " " + workers : word;
    }
}
