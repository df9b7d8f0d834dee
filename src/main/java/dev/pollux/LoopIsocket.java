// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/** The connection of the call that a loop makes now; one object for each loop. For its thread. */
final class LoopIsocket implements Isocket {
    private final InterruptServer server;
    private final InterruptLoop loop;
    private long connection;

    /** The loop's thread, which called the handler. */
    private Thread caller;

    private DeferredReply deferred;
    private boolean isClosing;

    LoopIsocket(InterruptServer server, InterruptLoop loop) {
        this.server = server;
        this.loop = loop;
    }

    void begin(long number) {
        connection = number;
        deferred = null;
        isClosing = false;
        caller = Thread.currentThread();
    }

    private void requireCaller() {
        if (caller != Thread.currentThread()) {
            throw new IllegalStateException("an Isocket is for the handler's thread, during its call: call defer()"
                    + " there, and give another thread the Reply");
        }
    }

    boolean isDeferred() {
        return deferred != null;
    }

    boolean isClosing() {
        return isClosing;
    }

    @Override
    public InterruptServer server() {
        return server;
    }

    @Override
    public long id() {
        requireCaller();
        return connection;
    }

    @Override
    public Reply defer() {
        requireCaller();
        if (isDeferred()) {
            throw new IllegalStateException("the reply of this request is deferred already");
        }
        deferred = new DeferredReply(loop, connection);
        if (isClosing) {
            deferred.setLast();
        }
        return deferred;
    }

    @Override
    public void close() {
        requireCaller();
        isClosing = true;
        if (isDeferred()) {
            deferred.setLast();
        }
    }
}
