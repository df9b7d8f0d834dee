// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * A connection as an {@link Interruptlet} sees it, during one call. There is one object for each loop, not for each
 * connection.
 *
 * <p>For the loop's thread, during the call.
 */
public final class Isocket {
    private final InterruptLoop loop;
    private long connection;
    private boolean isDeferred;
    private boolean isClosing;

    Isocket(InterruptLoop loop) {
        this.loop = loop;
    }

    void begin(long number) {
        connection = number;
        isDeferred = false;
        isClosing = false;
    }

    boolean isDeferred() {
        return isDeferred;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** {@return a number that no other connection of this loop has} Its lower half is a small one, fit for arrays. */
    public long id() {
        return connection;
    }

    /**
     * Promises a reply that any thread may give later. The requests behind this one wait for it. The handler consumes
     * the request and returns {@link Interruptlet#NONE}.
     *
     * @return the reply to be given
     */
    public Reply defer() {
        isDeferred = true;
        return new Reply(loop, connection);
    }

    /** Closes the connection after what is to be sent, the reply of this call included, has been sent. */
    public void close() {
        isClosing = true;
    }
}
