// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;

/** Lets tests find something of a loop. */
public final class Told {
    private Told() {
    }

    /** As if its own thread, which is this one, had found that. */
    public static void find(Loop loop, Evidence evidence) {
        Verdicts.of(loop).found(evidence);
        Verdicts.tell(loop, Thread.currentThread(), evidence, true);
    }
}
