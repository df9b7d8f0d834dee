// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Calls that the kernel answers by errors, or by less than it was asked for. */
public final class FaultyCalls implements Closeable {
    /** The JDK's own, and what stands in for them. */
    private static final String READ = "read|recvfrom";
    private static final String WRITE = "write|sendto";

    private static final List<String> ERRORS = List.of("EINTR", "EAGAIN", "EIO", "ECONNRESET", "EPIPE", "EBADF",
            "ENOMEM", "ENOBUFS", "ETIMEDOUT", "EHOSTUNREACH", "EPROTO", "ECONNREFUSED", "ENOTCONN", "EADDRNOTAVAIL",
            "EACCES", "EINPROGRESS");
    private static final List<String> COUNTS = List.of("0", "1", "3");

    private final List<Target> targets = new ArrayList<>();
    private final List<Closeable> opened = new ArrayList<>();

    private FaultyCalls() {
    }

    /** A call, and the system call that it makes, after others that are told to try again. */
    private record Target(String name, String system, Transcript.Call prepare, Transcript.Call call) {
    }

    /** Takes {@code stream}, {@code socket}, {@code datagram} or {@code other}. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        try (FaultyCalls all = open(arguments[0]); Faults faults = new Faults()) {
            for (int i = 0; i < all.targets.size(); i++) {
                run(arguments[0], i, faults);
            }
        }
    }

    private static FaultyCalls open(String kind) throws Exception {
        FaultyCalls calls = new FaultyCalls();
        switch (kind) {
            case "stream":
                calls.stream("blocking", true);
                calls.stream("non-blocking", false);
                break;
            case "socket":
                calls.socket();
                break;
            case "datagram":
                calls.datagram();
                break;
            default:
                calls.pipe();
                calls.file();
                calls.epoll();
        }
        return calls;
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : opened) {
            each.close();
        }
    }

    private static void run(String kind, int index, Faults faults) throws Exception {
        String system;
        try (FaultyCalls calls = open(kind)) {
            Target target = calls.targets.get(index);
            system = target.system;
            target.prepare.make();
            System.out.println(target.name + ": " + faults.warmUp(target.call));
        }
        for (String error : ERRORS) {
            inject(faults, kind, index, "error=" + error);
        }
        if (!system.matches(".*poll.*|recvfrom")) { // they have results besides the count
            for (String count : COUNTS) {
                inject(faults, kind, index, "retval=" + count);
            }
        }
    }

    /** Everything is new each time: the JDK remembers that a connection was reset. */
    private static void inject(Faults faults, String kind, int index, String fault) throws Exception {
        try (FaultyCalls calls = open(kind)) {
            Target target = calls.targets.get(index);
            target.prepare.make();
            System.out.println(target.name + ", " + target.system + ' ' + fault + ": "
                    + faults.make(target.call, target.system, fault));
        }
    }

    private void add(String name, String system, Transcript.Call prepare, Transcript.Call call) {
        targets.add(new Target(name, system, prepare, call));
    }

    private <T extends Closeable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    private void stream(String kind, boolean blocking) throws Exception {
        Ends.Channels ends = opened(Ends.channels(false));
        SocketChannel near = ends.near();
        near.configureBlocking(blocking);
        Transcript.Call refill = () -> {
            ends.far().write(ByteBuffer.allocate(4));
            Ends.awaitReadable(near);
            return null;
        };
        Transcript.Call none = () -> null;
        add(kind + " read", READ, refill, () -> near.read(ByteBuffer.allocate(4)));
        add(kind + " scatter", "readv", refill, () -> near.read(slices(3)));
        add(kind + " write", WRITE, none, () -> near.write(ByteBuffer.allocateDirect(4)));
        add(kind + " gather", "writev", none, () -> near.write(slices(3)));
    }

    private void socket() throws Exception {
        Ends.Sockets ends = opened(Ends.sockets());
        Ends.Channels channels = opened(Ends.channels(false));
        Ends.Sockets adapted = new Ends.Sockets(channels.near().socket(), channels.far().socket());
        for (String name : List.of("socket", "adapted socket")) {
            Ends.Sockets each = name.equals("socket") ? ends : adapted;
            for (int timeout : new int[] {0, 60_000}) {
                Transcript.Call refill = () -> {
                    each.near().setSoTimeout(timeout);
                    each.far().getOutputStream().write(new byte[4]);
                    return null;
                };
                add(name + " read, timeout " + timeout, READ, refill,
                        () -> each.near().getInputStream().read(new byte[4]));
                if (timeout > 0) {
                    add(name + " read", READ + ",poll", refill, () -> each.near().getInputStream().read(new byte[4]));
                }
            }
            add(name + " write", WRITE, () -> null, () -> {
                each.near().getOutputStream().write(new byte[4]);
                return "written";
            });
        }
    }

    private void datagram() throws Exception {
        DatagramChannel near = opened(Ends.datagram());
        DatagramChannel far = opened(Ends.datagram());
        DatagramChannel free = opened(Ends.datagram());
        near.connect(far.getLocalAddress());
        far.connect(near.getLocalAddress());
        Transcript.Call refill = () -> far.write(ByteBuffer.allocate(4));
        Transcript.Call none = () -> null;
        add("datagram read", "recvfrom", refill, () -> near.read(ByteBuffer.allocate(9)));
        add("datagram scatter", "recvmsg", refill, () -> near.read(slices(3)));
        add("datagram receive, connected", "recvfrom", refill, () -> near.receive(ByteBuffer.allocate(9)) != null);
        add("datagram write", "sendto", none, () -> near.write(ByteBuffer.allocate(4)));
        add("datagram gather", "sendmsg", none, () -> near.write(slices(3)));
        add("datagram send, connected", "sendto", none,
                () -> near.send(ByteBuffer.allocate(4), far.getLocalAddress()));
        DatagramSocket socket = opened(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
        socket.setSoTimeout(60_000);
        add("datagram receive", "recvfrom", () -> socketSend(socket, free), () -> free.receive(
                ByteBuffer.allocate(9)) != null);
        add("datagram send", "sendto", none, () -> free.send(ByteBuffer.allocate(4), far.getLocalAddress()));
        for (String system : new String[] {"recvfrom", "recvfrom,poll"}) {
            add("datagram socket receive", system, () -> free.send(ByteBuffer.allocate(4),
                    socket.getLocalSocketAddress()), () -> {
                socket.receive(new DatagramPacket(new byte[9], 9));
                return "received";
            });
        }
    }

    private static Object socketSend(DatagramSocket socket, DatagramChannel to) throws Exception {
        socket.send(new DatagramPacket(new byte[4], 4, to.getLocalAddress()));
        return null;
    }

    private void pipe() throws Exception {
        Pipe pipe = Pipe.open();
        Pipe.SourceChannel source = opened(pipe.source());
        Pipe.SinkChannel sink = opened(pipe.sink());
        Transcript.Call refill = () -> sink.write(ByteBuffer.allocate(9));
        add("pipe read", "read", refill, () -> source.read(ByteBuffer.allocate(4)));
        add("pipe scatter", "readv", refill, () -> source.read(slices(3)));
        add("pipe write", "write", () -> null, () -> sink.write(ByteBuffer.allocate(4)));
        add("pipe gather", "writev", () -> null, () -> sink.write(slices(3)));
    }

    /** On older JDKs files and sockets share native methods. */
    private void file() throws Exception {
        Path path = Files.createTempFile("calls", null);
        opened(() -> Files.delete(path));
        FileChannel file = opened(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
        Transcript.Call rewind = () -> file.position(0).write(ByteBuffer.allocate(9), 0);
        add("file read", "read", rewind, () -> file.read(ByteBuffer.allocate(4)));
        add("file scatter", "readv", rewind, () -> file.read(slices(3)));
        add("file write", "write", rewind, () -> file.write(ByteBuffer.allocate(4)));
        add("file gather", "writev", rewind, () -> file.write(slices(3)));
    }

    private void epoll() throws Exception {
        Selector selector = opened(Selector.open());
        DatagramChannel channel = opened(Ends.datagram());
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
        add("select", "epoll_wait", () -> null, () -> selector.select(each -> { }));
        add("selectNow", "epoll_wait", () -> null, () -> selector.selectNow(each -> { }));
        add("a change of interest", "epoll_ctl", () -> key.interestOps(key.interestOps() ^ SelectionKey.OP_READ),
                () -> selector.selectNow(each -> { }));
    }

    private static ByteBuffer[] slices(int size) {
        return new ByteBuffer[] {ByteBuffer.allocate(size), ByteBuffer.allocateDirect(size)};
    }
}
