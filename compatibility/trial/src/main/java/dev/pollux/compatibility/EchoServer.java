// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.IOException;
import java.net.Socket;

/** A TCP server on the loopback address that sends back what it receives. */
public interface EchoServer extends Framework {
    /** {@return its port} */
    int port();

    @Override
    default long drive() throws Exception {
        return Load.on(port(), EchoServer::exchange);
    }

    private static Exchange exchange(Socket socket) {
        return new Exchange() {
            @Override
            public void send(byte[] body) throws IOException {
                socket.getOutputStream().write(body);
            }

            @Override
            public byte[] receive(int length) throws IOException {
                return socket.getInputStream().readNBytes(length);
            }
        };
    }
}
