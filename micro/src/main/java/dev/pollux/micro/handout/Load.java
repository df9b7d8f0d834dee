// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import java.util.Locale;

/** What handlers do. */
enum Load {
    /** They read a byte, write it on, and enable the member. */
    SHORT,

    /** The same, but now and then one blocks before that. */
    LONG;

    /** The word on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
