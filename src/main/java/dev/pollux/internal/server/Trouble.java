// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import java.net.SocketAddress;

/** Where something went wrong in a server. The public enum of error handlers has the same names, and explains them. */
public enum Trouble {
    HANDLER, SLOW_PATH, ACCEPT, CONNECTION, LOOP;

    /** Is told of it, on the thread that met it. */
    @FunctionalInterface
    public interface Listener {
        /** Something went wrong; the peer is null if it concerns no connection, or the peer's address is not known. */
        void onTrouble(Trouble where, Throwable error, SocketAddress peer);
    }
}
