// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.EchoServer;
import dev.pollux.compatibility.Trial;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/** MINA's NIO acceptor without a codec. */
public final class Main implements EchoServer {
    private final NioSocketAcceptor acceptor = new NioSocketAcceptor(4);

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws IOException {
        acceptor.setReuseAddress(true);
        acceptor.setHandler(new Echo());
        acceptor.bind(new InetSocketAddress("127.0.0.1", 0));
    }

    @Override
    public int port() {
        return acceptor.getLocalAddress().getPort();
    }

    @Override
    public void stop() {
        acceptor.dispose(true);
    }

    /** Sends a copy: what is received lies in a buffer that MINA uses again. */
    private static final class Echo extends IoHandlerAdapter {
        @Override
        public void messageReceived(IoSession session, Object message) {
            IoBuffer received = (IoBuffer) message;
            IoBuffer copy = IoBuffer.allocate(received.remaining());
            copy.put(received);
            copy.flip();
            session.write(copy);
        }

        @Override
        public void exceptionCaught(IoSession session, Throwable cause) {
            session.closeNow(); // a client that resets
        }
    }
}
