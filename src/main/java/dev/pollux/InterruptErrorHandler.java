// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/** Is told what goes wrong in an {@link InterruptServer}. */
@FunctionalInterface
public interface InterruptErrorHandler {

    /** Where something went wrong, and what became of it. */
    enum Place {
        /** The handler has thrown, or broken its contract: the connection is closed. */
        HANDLER,
        /** The slow path has thrown, or its executor has refused the connection: the connection is closed. */
        SLOW_PATH,
        /** No connection could be accepted, for want of descriptors, say: it is tried again in a moment. */
        ACCEPT,
        /** One connection has failed: reset by the other side, for one. It is closed. */
        CONNECTION,
        /** A loop has failed: its connections are closed and its thread ends. Other loops go on. */
        LOOP
    }

    /**
     * Something went wrong. Called by the thread that met it, a loop's mostly, so it must not block. What it throws
     * itself is lost.
     *
     * @param place where
     * @param error what; its message says more
     */
    void handle(Place place, Throwable error);
}
