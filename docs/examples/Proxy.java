// SPDX-License-Identifier: Apache-2.0

import dev.pollux.server.CloseReason;
import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;

/** A proxy: each client has a connection to the other server, and each side's bytes are passed on to the other. */
final class Proxy implements ConnectionHandler {
    private final SocketAddress target;

    private Proxy(SocketAddress target) {
        this.target = target;
    }

    static StreamServer start(SocketAddress address, SocketAddress target) throws IOException {
        return StreamServer.at(address, () -> new Proxy(target)).start();
    }

    @Override
    public void onOpen(Exchange exchange) throws IOException {
        Connection opened = exchange.connection();
        if (opened.attachment() == null) {                                  // a client's
            Connection other = exchange.server().connect(target, this);     // on the same loop, so the same handler
            other.attach(opened);
            opened.attach(other);
        }
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) {
        if (other(exchange.connection()).send(data)) {
            data.position(data.limit());
        } else {
            exchange.connection().pause();                                  // data comes again after resume
        }
    }

    @Override
    public void onWritable(Connection connection) {
        other(connection).resume();
    }

    @Override
    public void onEnd(Exchange exchange) {
        other(exchange.connection()).shutdownOutput();                      // the other way stays open
    }

    @Override
    public void onClose(Exchange exchange, CloseReason reason) {
        Connection other = other(exchange.connection());
        if (reason == CloseReason.PEER) {
            other.close();
        } else if (other != null) {
            other.abort();                                                  // what is cut must not look complete
        }
    }

    private static Connection other(Connection connection) {
        return (Connection) connection.attachment();
    }
}
