// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.net.SocketAddress;

/** Is told what goes wrong in a {@link StreamServer}. */
@FunctionalInterface
public interface ServerErrorHandler {

    /** Where something went wrong, and what became of it. */
    enum Place {
        /** The handler has thrown, or broken its contract: the connection is closed. */
        HANDLER,
        /**
         * The slow path has thrown, its executor has refused the connection, or there is no slow path: the connection
         * is closed.
         */
        SLOW_PATH,
        /** No connection could be accepted, for lack of descriptors, say: the loop tries again in a moment. */
        ACCEPT,
        /**
         * One connection has failed: reset by the other side, for one, or it exceeds a limit, or memory or its engine
         * of TLS has failed the server. It is closed. If replies were cut off by that, it is reset, so that the other
         * side does not take what it got for all.
         */
        CONNECTION,
        /**
         * A loop has failed: its connections are closed and its thread ends. Other loops go on, and have its new
         * connections; {@link ServerStatistics#loops} tells how many are left. Without any the server has ended: {@link
         * StreamServer#isOpen} is false.
         */
        LOOP
    }

    /**
     * Something went wrong. Called by the thread that met it, a loop's mostly, so it must not block. What it throws
     * itself is lost.
     *
     * @param place where
     * @param error what; its message says more
     * @param peer  the other side of the connection that it concerns; null if it concerns none, or the other side has
     *     no address of the Internet Protocol, or is not known any more
     */
    void handle(Place place, Throwable error, SocketAddress peer);
}
