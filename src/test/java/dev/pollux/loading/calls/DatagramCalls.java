// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import static dev.pollux.loading.calls.Transcript.write;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** What is sent to and received from datagram channels and sockets, without another thread. */
public final class DatagramCalls {
    private static final int MILLIS = 30;
    private static final int LARGEST = 65_507;

    private DatagramCalls() {
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        for (StandardProtocolFamily family : StandardProtocolFamily.values()) {
            if (family != StandardProtocolFamily.UNIX) {
                unconnected(family);
            }
        }
        connected();
        deadPort();
        receiveAfterAnError();
        socket();
        closed();
    }

    /** A socket of the family INET6 receives from IPv4 too, by a mapped address. */
    private static void unconnected(StandardProtocolFamily family) throws Exception {
        try (DatagramChannel one = DatagramChannel.open(family); DatagramChannel two = DatagramChannel.open(family)) {
            one.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            two.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            SocketAddress target = two.getLocalAddress();
            for (int size : new int[] {0, 1, 1400, LARGEST}) {
                write("send " + size, () -> one.send(ByteBuffer.allocate(size), target));
                ByteBuffer room = ByteBuffer.allocateDirect(size + 1);
                write("receive", () -> two.receive(room).equals(one.getLocalAddress()));
                write("received", room::position);
            }
            write("send too much", () -> one.send(ByteBuffer.allocate(LARGEST + 1), target));
            write("send far too much", () -> one.send(ByteBuffer.allocateDirect(100_000), target));
            write("send to port 0", () -> one.send(ByteBuffer.allocate(1), new InetSocketAddress("127.0.0.1", 0)));
            write("broadcast", () -> one.send(ByteBuffer.allocate(1), new InetSocketAddress("255.255.255.255", 9)));
            one.send(ByteBuffer.allocate(100), target);
            ByteBuffer small = ByteBuffer.allocate(10);
            write("receive into too little room", () -> two.receive(small) != null && small.position() == 10);
            one.send(ByteBuffer.allocate(100), target);
            write("receive into no room", () -> two.receive(ByteBuffer.allocate(0)) != null);
            two.configureBlocking(false);
            write("receive nothing", () -> two.receive(ByteBuffer.allocateDirect(10)));
            write("read unconnected", () -> two.read(ByteBuffer.allocate(10)));
        }
    }

    private static void connected() throws Exception {
        try (DatagramChannel one = Ends.datagram(); DatagramChannel two = Ends.datagram()) {
            two.connect(one.getLocalAddress());
            one.send(ByteBuffer.allocate(0), two.getLocalAddress());
            write("read an empty one", () -> two.read(ByteBuffer.allocate(9)));
            one.send(ByteBuffer.allocate(0), two.getLocalAddress());
            write("scatter an empty one", () -> two.read(slices(2, 9)));
            one.connect(two.getLocalAddress());
            for (int size : new int[] {3, LARGEST}) {
                write("write " + size, () -> one.write(ByteBuffer.allocate(size)));
                write("read", () -> two.read(ByteBuffer.allocate(LARGEST)));
                write("gather " + size, () -> one.write(slices(3, size / 3)));
                write("scatter", () -> two.read(slices(4, LARGEST / 3)));
            }
            write("gather 1500", () -> one.write(slices(1500, 1)));
            write("scatter 1500", () -> two.read(slices(1500, 1)));
            write("write too much", () -> one.write(ByteBuffer.allocate(LARGEST + 1)));
            write("gather too much", () -> one.write(slices(2, LARGEST)));
            write("send", () -> one.send(ByteBuffer.allocate(7), two.getLocalAddress()));
            write("receive", () -> two.receive(ByteBuffer.allocate(9)).equals(one.getLocalAddress()));
            write("send elsewhere", () -> one.send(ByteBuffer.allocate(7), one.getLocalAddress()));
            two.configureBlocking(false);
            write("read nothing", () -> two.read(ByteBuffer.allocate(9)));
            write("scatter nothing", () -> two.read(slices(2, 9)));
            write("receive nothing", () -> two.receive(ByteBuffer.allocate(9)));
        }
    }

    /** Each call in turn is the first that hears of it. */
    private static void deadPort() throws Exception {
        for (boolean blocking : new boolean[] {true, false}) {
            for (int kind = 0; kind < 6; kind++) {
                try (DatagramChannel channel = Ends.datagram()) {
                    channel.connect(Ends.deadPort());
                    channel.write(ByteBuffer.allocate(1));
                    Ends.awaitReadable(channel);
                    channel.configureBlocking(blocking);
                    int which = kind;
                    write("dead port, blocking " + blocking + ", call " + kind, () -> transfer(channel, which));
                }
            }
        }
    }

    private static Object transfer(DatagramChannel channel, int kind) throws IOException {
        switch (kind) {
            case 0:
                return channel.read(ByteBuffer.allocate(5));
            case 1:
                return channel.read(slices(2, 5));
            case 2:
                return channel.receive(ByteBuffer.allocate(5));
            case 3:
                return channel.write(ByteBuffer.allocate(5));
            case 4:
                return channel.write(slices(2, 5));
            default:
                return channel.send(ByteBuffer.allocate(5), channel.getRemoteAddress());
        }
    }

    /** The connection is gone when the error is told: the JDK tries once more. */
    private static void receiveAfterAnError() throws Exception {
        try (DatagramChannel channel = Ends.datagram(); DatagramChannel other = Ends.datagram()) {
            channel.connect(Ends.deadPort());
            channel.write(ByteBuffer.allocate(1));
            Ends.awaitReadable(channel);
            channel.disconnect();
            other.send(ByteBuffer.allocate(3), channel.getLocalAddress());
            ByteBuffer room = ByteBuffer.allocate(9);
            write("receive after an error", () -> channel.receive(room).equals(other.getLocalAddress()));
            write("received", room::position);
        }
    }

    private static void socket() throws Exception {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        try (DatagramSocket one = new DatagramSocket(0, loopback);
                DatagramSocket two = new DatagramSocket(0, loopback)) {
            byte[] bytes = new byte[100];
            DatagramPacket sent = new DatagramPacket(bytes, bytes.length, two.getLocalSocketAddress());
            DatagramPacket received = new DatagramPacket(new byte[50], 50);
            for (int timeout : new int[] {0, 60_000}) {
                two.setSoTimeout(timeout);
                write("socket send", () -> call(() -> one.send(sent)));
                write("socket receive", () -> call(() -> two.receive(received)));
                write("socket received", received::getLength);
            }
            two.setSoTimeout(MILLIS);
            write("socket timeout", () -> call(() -> two.receive(received)));
            byte[] large = new byte[LARGEST + 1];
            write("socket send too much", () -> call(() -> one.send(
                    new DatagramPacket(large, large.length, two.getLocalSocketAddress()))));
            for (int timeout : new int[] {0, 60_000}) {
                one.connect(Ends.deadPort());
                one.setSoTimeout(timeout);
                one.send(new DatagramPacket(bytes, 1));
                write("socket dead port", () -> call(() -> one.receive(received)));
                one.disconnect();
            }
        }
    }

    private interface Call {
        void make() throws IOException;
    }

    private static String call(Call call) throws IOException {
        call.make();
        return "done";
    }

    private static void closed() throws Exception {
        DatagramChannel channel = Ends.datagram();
        channel.connect(Ends.deadPort());
        channel.close();
        for (int kind = 0; kind < 5; kind++) {
            int which = kind;
            write("closed, call " + kind, () -> transfer(channel, which));
        }
        DatagramSocket socket = new DatagramSocket();
        socket.close();
        write("closed socket", () -> call(() -> socket.receive(new DatagramPacket(new byte[1], 1))));
    }

    private static ByteBuffer[] slices(int count, int size) {
        ByteBuffer[] slices = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            slices[i] = i % 2 == 0 ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        }
        return slices;
    }
}
