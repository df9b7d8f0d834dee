// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/** The thread of a loop, as those see it who have something to be done by it. For any thread. */
interface LoopThread {
    /** Whether the calling thread is it. */
    boolean isCurrent();

    /** Has it run something soon. Once the loop has ended, the calling thread runs it. If this throws, none does. */
    void post(Runnable task);
}
