// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.servers.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * {@code java.net.Socket} with a thread for each connection, which blocks in reading. It answers a body of 1 KiB,
 * whatever {@link Application#BODY} is.
 */
final class SocketApplication implements Application {
    private static final int BACKLOG = 1024;

    private final Consumer<Runnable> starter;
    private final byte[] page = new byte[Protocol.HTTP.page().remaining()];

    /** Argument: starts the thread of a connection. */
    SocketApplication(Consumer<Runnable> starter) {
        this.starter = starter;
        Protocol.HTTP.page().get(page);
    }

    @Override
    public void start(int port) throws IOException {
        try (ServerSocket listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress())) {
            while (true) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                starter.accept(() -> converse(socket));
            }
        }
    }

    private void converse(Socket socket) {
        try (socket) {
            answerAll(socket.getInputStream(), socket.getOutputStream());
        } catch (SocketException reset) {
            // A peer closes that way, so that no thousands of ports stay in TIME_WAIT.
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answerAll(InputStream in, OutputStream out) throws IOException {
        ByteBuffer room = ByteBuffer.allocate(Protocol.BUFFER / 16);
        for (int read; (read = in.read(room.array(), room.position(), room.remaining())) > 0; room.compact()) {
            room.position(room.position() + read).flip();
            for (int end; (end = Protocol.endOfRequest(room)) >= 0; room.position(end)) {
                out.write(page);
            }
        }
    }
}
