// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/**
 * What a connection of a {@link StreamServer} waits for, and how long it may: the other side has a {@linkplain
 * StreamServerBuilder#timeout time-out} for each.
 *
 * <pre>
 *     accepted, or connect is called
 *         |
 *     HANDSHAKE    ends when it is connected, and TLS established
 *         | onOpen
 *     FIRST_BYTE   ends with the first byte
 *         |
 *     REQUEST      ends when the handler has consumed all of the request  &lt;--.
 *         |                                                                 | its first byte
 *     IDLE         ends with the next request's first byte  ----------------'
 *
 *     WRITING      begins when something is sent that the socket has no room for; ends when it has taken all of it
 * </pre>
 *
 * <p>More bytes do not extend REQUEST: who sends one now and then has no more time than others. It ends when a call of
 * the handler consumes something, unless that call says that the {@linkplain Exchange#continueRequest request goes on}.
 * What is sent and taken begins FIRST_BYTE or IDLE again.
 *
 * <p>WRITING begins again with each 4096 bytes that the other side takes, so that is what it has to take in that time,
 * or all. Meanwhile FIRST_BYTE and IDLE do not go on, and REQUEST does only for what has a {@link Connection} and less
 * than {@link StreamServerBuilder#maxPending} pending: nothing else is received from then. A connection that is to be
 * closed is in this phase until it is.
 *
 * <p>While a connection is {@linkplain Connection#pause paused}, or a deferred reply is owed, FIRST_BYTE, REQUEST and
 * IDLE do not go on, and begin again afterwards. WRITING goes on, but not while a connection is paused if its time is
 * that of {@link StreamServerBuilder#idleTimeout}.
 */
public enum Phase {
    /**
     * To connect, and to establish TLS. When its time is over the connection has {@link CloseReason#FAILED}, and the
     * error handler is told.
     */
    HANDSHAKE,
    /** To say anything at all: {@link CloseReason#IDLE}. */
    FIRST_BYTE,
    /** To complete a request: {@link CloseReason#TOO_SLOW}. */
    REQUEST,
    /** To begin the next request: {@link CloseReason#IDLE}. */
    IDLE,
    /** To take what it is sent: {@link CloseReason#UNREAD}. The error handler is told. */
    WRITING
}
