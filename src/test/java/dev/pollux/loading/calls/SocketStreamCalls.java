// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import static dev.pollux.loading.calls.Transcript.write;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads and writes of {@code java.net.Socket} and of the adaptor of a channel, with and without a timeout. */
public final class SocketStreamCalls {
    private static final int MILLIS = 30;
    private static final int MORE_THAN_THE_BACKLOG = 6;

    private SocketStreamCalls() {
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        for (int timeout : new int[] {0, 60_000}) {
            for (boolean adapted : new boolean[] {false, true}) {
                System.out.println("timeout " + timeout + ", adapted " + adapted);
                transfers(adapted, timeout);
                end(adapted, timeout);
                reset(adapted, timeout);
                closed(adapted, timeout);
            }
        }
        timeouts();
        connecting();
        accepting();
    }

    private static Ends.Sockets open(boolean adapted, int timeout) throws IOException {
        Ends.Sockets sockets = Ends.sockets();
        if (adapted) {
            Ends.Channels channels = Ends.channels(false);
            sockets.close();
            sockets = new Ends.Sockets(channels.near().socket(), channels.far().socket());
        }
        sockets.near().setSoTimeout(timeout);
        return sockets;
    }

    private static void transfers(boolean adapted, int timeout) throws Exception {
        try (Ends.Sockets ends = open(adapted, timeout)) {
            for (int size : new int[] {0, 1, 8192, 70_000}) {
                byte[] bytes = new byte[size];
                Arrays.fill(bytes, (byte) size);
                write("write " + size, () -> {
                    ends.far().getOutputStream().write(bytes);
                    return "written";
                });
                write("read " + size, () -> Arrays.hashCode(ends.near().getInputStream().readNBytes(size)));
            }
            write("available", () -> ends.near().getInputStream().available());
            write("read none", () -> ends.near().getInputStream().read(new byte[0]));
            write("read none of some", () -> ends.near().getInputStream().read(new byte[9], 3, 0));
        }
    }

    private static void end(boolean adapted, int timeout) throws Exception {
        try (Ends.Sockets ends = open(adapted, timeout)) {
            ends.far().shutdownOutput();
            for (int i = 0; i < 2; i++) {
                write("read at the end", () -> ends.near().getInputStream().read());
                write("read more at the end", () -> ends.near().getInputStream().read(new byte[100]));
            }
            ends.near().shutdownOutput();
            write("write after shutdown", () -> written(ends.near(), 3));
            ends.far().close();
        }
    }

    private static void reset(boolean adapted, int timeout) throws Exception {
        try (Ends.Sockets ends = open(adapted, timeout)) {
            ends.far().setSoLinger(true, 0);
            ends.far().close();
            write("read after a reset", () -> ends.near().getInputStream().read());
            write("read again", () -> ends.near().getInputStream().read(new byte[100]));
            write("write after a reset", () -> written(ends.near(), 3));
            write("write again", () -> written(ends.near(), 3));
            write("available", () -> ends.near().getInputStream().available());
        }
        try (Ends.Sockets ends = open(adapted, timeout)) {
            ends.far().setSoLinger(true, 0);
            ends.far().close();
            Thread.sleep(20); // the kernel sends the reset at once, but may take it in a moment later
            write("write first", () -> written(ends.near(), 3));
            write("write second", () -> written(ends.near(), 3));
            write("read then", () -> ends.near().getInputStream().read());
        }
    }

    private static void closed(boolean adapted, int timeout) throws Exception {
        Ends.Sockets ends = open(adapted, timeout);
        InputStream in = ends.near().getInputStream();
        ends.near().close();
        write("read when closed", in::read);
        write("write when closed", () -> written(ends.near(), 3));
        ends.far().close();
    }

    private static String written(Socket socket, int size) throws IOException {
        socket.getOutputStream().write(new byte[size]);
        return "written";
    }

    private static void timeouts() throws Exception {
        for (boolean adapted : new boolean[] {false, true}) {
            try (Ends.Sockets ends = open(adapted, MILLIS)) {
                write("timeout of a read", () -> ends.near().getInputStream().read());
                written(ends.far(), 1);
                ends.near().setSoTimeout(60_000);
                write("read after a timeout", () -> ends.near().getInputStream().read());
            }
        }
    }

    /** The queue of a server that accepts no one is full, so that connecting goes on for longer than the timeout. */
    private static void connecting() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<SocketChannel> queue = new ArrayList<>();
            for (int i = 0; i < MORE_THAN_THE_BACKLOG; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.configureBlocking(false);
                channel.connect(server.getLocalSocketAddress());
                queue.add(channel);
            }
            try (Socket late = new Socket()) {
                write("timeout of a connect", () -> {
                    late.connect(server.getLocalSocketAddress(), MILLIS);
                    return "connected";
                });
            }
            try (SocketChannel late = SocketChannel.open()) {
                write("timeout of an adapted connect", () -> {
                    late.socket().connect(server.getLocalSocketAddress(), MILLIS);
                    return "connected";
                });
            }
            SocketChannel last = queue.get(MORE_THAN_THE_BACKLOG - 1);
            write("read before it is connected", () -> last.read(ByteBuffer.allocate(1)));
            for (SocketChannel channel : queue) {
                channel.close();
            }
        }
        ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        gone.close();
        for (int timeout : new int[] {0, 60_000}) {
            try (Socket socket = new Socket()) {
                write("refused with timeout " + timeout, () -> {
                    socket.connect(new java.net.InetSocketAddress(gone.getInetAddress(), gone.getLocalPort()), timeout);
                    return "connected";
                });
            }
        }
    }

    private static void accepting() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(MILLIS);
            write("timeout of an accept", server::accept);
        }
    }
}
