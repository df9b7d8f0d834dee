// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;

/** Calls that are blocked when another thread closes the channel or socket, or interrupts the blocked thread. */
public final class BlockedCalls {
    private static final String[] CHANNELS = {"tcp", "unix", "pipe", "datagram", "server"};
    private static final String[] SOCKETS = {"socket", "socket with timeout", "adapted socket",
        "adapted socket with timeout", "datagram socket", "datagram socket with timeout", "server socket",
        "server socket with timeout"};
    private static final int LONG = 60_000;

    private BlockedCalls() {
    }

    /** Something to be blocked in, and what belongs to it. */
    private record Trap(AutoCloseable closed, Transcript.Call[] calls, AutoCloseable... others) {
    }

    /** Takes {@code platform} or {@code virtual}. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        boolean virtual = arguments[0].equals("virtual");
        for (String kind : CHANNELS) {
            for (int call = 0; call < trap(kind).calls.length; call++) {
                block(kind, call, virtual, false);
                block(kind, call, virtual, true);
            }
        }
        for (String kind : SOCKETS) {
            for (int call = 0; call < trap(kind).calls.length; call++) {
                block(kind, call, virtual, false);
            }
        }
    }

    private static void block(String kind, int call, boolean virtual, boolean interrupt) throws Exception {
        Trap trap = trap(kind);
        Blocked blocked = new Blocked(virtual, trap.calls[call]);
        String where = virtual ? "" : " in " + blocked.where();
        if (interrupt) {
            blocked.thread().interrupt();
        } else {
            trap.closed.close();
        }
        System.out.println(kind + ", call " + call + where + (interrupt ? ", interrupted: " : ", closed: ")
                + blocked.outcome());
        trap.closed.close();
        for (AutoCloseable each : trap.others) {
            each.close();
        }
    }

    private static Trap trap(String kind) throws Exception {
        switch (kind) {
            case "tcp":
                return stream(Ends.channels(false));
            case "unix":
                return stream(Ends.channels(true));
            case "pipe":
                Pipe pipe = Pipe.open();
                return new Trap(pipe.source(), calls(() -> pipe.source().read(room()),
                        () -> pipe.source().read(rooms())), pipe.sink());
            case "datagram":
                DatagramChannel datagram = Ends.datagram();
                datagram.connect(Ends.deadPort());
                return new Trap(datagram, calls(() -> datagram.read(room()), () -> datagram.read(rooms()),
                        () -> datagram.receive(room())));
            case "server":
                ServerSocketChannel server = ServerSocketChannel.open().bind(Ends.loopback());
                return new Trap(server, calls(server::accept));
            default:
                return socket(kind, kind.endsWith("with timeout") ? LONG : 0);
        }
    }

    private static Trap socket(String kind, int timeout) throws Exception {
        if (kind.startsWith("datagram")) {
            DatagramSocket datagram = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            datagram.setSoTimeout(timeout);
            return new Trap(datagram, calls(() -> {
                datagram.receive(new DatagramPacket(new byte[1], 1));
                return "received";
            }));
        }
        if (kind.startsWith("server")) {
            ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            server.setSoTimeout(timeout);
            return new Trap(server, calls(server::accept));
        }
        Ends.Sockets ends = Ends.sockets();
        if (kind.startsWith("adapted")) {
            ends.close();
            Ends.Channels channels = Ends.channels(false);
            ends = new Ends.Sockets(channels.near().socket(), channels.far().socket());
        }
        return stream(ends, timeout);
    }

    private static Trap stream(Ends.Sockets ends, int timeout) throws Exception {
        ends.near().setSoTimeout(timeout);
        return new Trap(ends.near(), calls(() -> ends.near().getInputStream().read(), () -> writeOn(ends.near())),
                ends.far());
    }

    /** Whether a write has begun when the last one was cut short, nobody can tell: only what it throws counts. */
    private static String writeOn(Socket socket) {
        try {
            while (true) {
                socket.getOutputStream().write(new byte[1 << 20]);
            }
        } catch (IOException e) {
            return e instanceof ClosedChannelException ? "closed" : e.toString();
        }
    }

    private static Trap stream(Ends.Channels ends) throws IOException {
        Ends.fill(ends.near());
        ends.near().configureBlocking(true);
        return new Trap(ends.near(), calls(() -> ends.near().read(room()), () -> ends.near().read(rooms()),
                () -> ends.near().write(room()), () -> ends.near().write(rooms())), ends.far());
    }

    private static Transcript.Call[] calls(Transcript.Call... calls) {
        return calls;
    }

    private static ByteBuffer room() {
        return ByteBuffer.allocate(10);
    }

    private static ByteBuffer[] rooms() {
        return new ByteBuffer[] {room(), ByteBuffer.allocateDirect(3)};
    }
}
