// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import dev.pollux.micro.harness.VirtualThreads;
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
 * {@code java.net.Socket} with a thread for each connection, which blocks in reading, as in Sun's SimpleServer.
 */
public final class SocketServer {
    private SocketServer() {
    }

    /** One with platform threads. */
    public static Application platform(Protocol protocol) {
        return of("Thread", protocol, work -> new Thread(work).start());
    }

    /** One with virtual threads. */
    public static Application virtual(Protocol protocol) {
        return of("VirtualThread", protocol, VirtualThreads::start);
    }

    private static Application of(String version, Protocol protocol, Consumer<Runnable> starter) {
        byte[] page = new byte[protocol.page().remaining()];
        protocol.page().get(page);
        return Application.of(version, port -> {
            try (ServerSocket listener = new ServerSocket(port, ChannelServer.BACKLOG,
                    InetAddress.getLoopbackAddress())) {
                while (true) {
                    Socket socket = listener.accept();
                    socket.setTcpNoDelay(true);
                    starter.accept(() -> converse(socket, protocol, page));
                }
            }
        });
    }

    private static void converse(Socket socket, Protocol protocol, byte[] page) {
        try (socket) {
            answerAll(socket.getInputStream(), socket.getOutputStream(), protocol, page);
        } catch (SocketException reset) {
            // A peer closes that way, so that no thousands of ports stay in TIME_WAIT.
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answerAll(InputStream in, OutputStream out, Protocol protocol, byte[] page)
            throws IOException {
        ByteBuffer room = ByteBuffer.allocate(Protocol.BUFFER / 16);
        for (int read; (read = in.read(room.array(), room.position(), room.remaining())) > 0; room.compact()) {
            room.position(room.position() + read).flip();
            if (protocol == Protocol.ECHO) {
                out.write(room.array(), 0, room.limit());
                room.position(room.limit());
                continue;
            }
            for (int end; (end = Protocol.endOfRequest(room)) >= 0; room.position(end)) {
                out.write(page);
            }
        }
    }
}
