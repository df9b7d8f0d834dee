// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;

/**
 * A {@link ConnectionHandler} in the form of the paper that the idea is from: an array in, an array out. Simple, but
 * each request costs two arrays and two copies, and whatever has arrived is taken for one request.
 */
public abstract class ByteArrayHandler implements ConnectionHandler {

    /** Makes a handler. */
    public ByteArrayHandler() {
    }

    /**
     * Handles a request.
     *
     * @param data what arrived; the handler's to keep
     * @return the reply; null, and {@link SlowPath} gets the connection
     * @throws Exception for the server's error handler; the connection is closed
     */
    protected abstract byte[] handle(byte[] data) throws Exception;

    @Override
    public final void onData(ByteBuffer data, Exchange exchange) throws Exception {
        byte[] request = new byte[data.remaining()];
        data.get(request);
        byte[] reply = handle(request);
        if (reply == null) {
            exchange.handOver();
        } else {
            exchange.send(ByteBuffer.wrap(reply));
        }
    }
}
