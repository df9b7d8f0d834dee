// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.List;

/** A selector or a Poller, for tests of what both promise to the threads that wait in them. */
public interface Loop extends AutoCloseable {

    /** As a number of milliseconds: without a timeout. */
    long FOREVER = -1;

    /** A form of {@code select} or {@code await}. */
    interface Wait {
        /**
         * Waits and has the action run for each channel that is ready.
         *
         * @param millis the timeout; 0 to look only
         * @return the number of channels
         */
        int await(long millis, Runnable action) throws IOException;

        default int await(long millis) throws IOException {
            return await(millis, () -> { });
        }
    }

    /** All forms there are. */
    List<Wait> waits();

    /** Waits for the channel to become readable; it is reported as long as it is. */
    void watch(SelectableChannel channel) throws IOException;

    void wakeup();

    boolean isOpen();

    /** What waits of a closed one throw. */
    Class<? extends RuntimeException> closedException();

    @Override
    void close() throws IOException;

    default int await(long millis) throws IOException {
        return waits().get(0).await(millis);
    }

    default int await() throws IOException {
        return await(FOREVER);
    }

    /** Nothing ends a wait before its timeout, and it waits asleep. */
    default void assertSleeps() throws Exception {
        Io.assertSleeps(this::await, 200);
    }
}
