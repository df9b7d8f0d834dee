// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A handler that keeps its connections, and records what becomes of them; another handler gets their data. */
class Recorder implements ConnectionHandler {
    final BlockingQueue<Connection> opened = new LinkedBlockingQueue<>();
    final BlockingQueue<Connection> writable = new LinkedBlockingQueue<>();
    final BlockingQueue<CloseReason> reasons = new LinkedBlockingQueue<>();

    private final ConnectionHandler onData;

    Recorder(ConnectionHandler onData) {
        this.onData = onData;
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) throws Exception {
        onData.onData(data, exchange);
    }

    @Override
    public void onOpen(Exchange exchange) throws Exception {
        opened.add(exchange.connection());
    }

    @Override
    public void onWritable(Connection connection) throws Exception {
        writable.add(connection);
    }

    @Override
    public void onClose(Exchange exchange, CloseReason reason) throws Exception {
        reasons.add(reason);
    }
}
