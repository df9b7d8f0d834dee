// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/**
 * Whether a loop serves a connection, and as far as that goes.
 *
 * <pre>
 *            begin             the reply is deferred
 *     NONE --------> SERVED --------------------------> DEFERRED
 *      ^              | |  <--------------------------      |
 *      |              | |          it is given              |
 *      |              | '-----------> LEAVING <-------------'   it is to be closed or released, for the first
 *      |              |  to end         ^ |                     reason that there was, or since it has failed
 *      |              v                 | |
 *      |           MOVING --------------' |                     on its way to another loop
 *      |  gone        |     it fails      |
 *      '--------------+-------------------'                     from each of them: its socket is closed, or not here
 * </pre>
 *
 * {@link LoopConnections} has one for each connection, and {@link Phase} beside it.
 */
enum ServiceState {
    NONE, MOVING, SERVED, DEFERRED, LEAVING
}
