// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;

/** What was found of a loop, on its way to be told by the {@link WatchThread}. No lambda: its first use may fail. */
record Telling(Loop loop, Thread thread, Evidence evidence, boolean isLogged) implements Runnable {
    @Override
    public void run() {
        Verdicts.tell(loop, thread, evidence, isLogged);
    }
}
