// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import java.io.IOException;

/** A source of events that one thread at a time waits for. */
public interface Awaitable {
    /** {@link #await}: a signal ended the wait (EINTR). */
    int INTERRUPTED = -1;

    /**
     * Waits for events.
     *
     * @param nanos how long to wait: negative for ever, 0 not at all, else at least that long
     * @return the number of entries, or {@link #INTERRUPTED}
     */
    int await(long nanos) throws IOException;

    /**
     * A descriptor to wait on, or -1 if there is none. After an {@link #await} that found nothing it polls readable
     * when another one would return, unless changes were made since. Until an await has found nothing it may stay
     * readable, so a thread that parks on it polls once more before.
     */
    int handle();
}
