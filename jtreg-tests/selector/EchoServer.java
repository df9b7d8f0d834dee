// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll-tcp
 * @summary a server of one thread, many clients and one that does not read; every byte comes back
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider EchoServer tcp
 */

/*
 * @test id=epoll-unix
 * @summary a server of one thread, many clients and one that does not read; every byte comes back
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider EchoServer unix
 */

/*
 * @test id=poll-tcp
 * @summary a server of one thread, many clients and one that does not read; every byte comes back
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider EchoServer tcp
 */

/*
 * @test id=poll-unix
 * @summary a server of one thread, many clients and one that does not read; every byte comes back
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider EchoServer unix
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Random;

public class EchoServer {

    private static final int CLIENTS = 40;
    private static final int MESSAGES = 50;
    private static final int LONGEST = 20_000;
    private static final int BULK = 16 << 20;

    private final Selector selector;
    private final ServerSocketChannel listener;
    private volatile boolean stopped;
    private int stalls;  // times that a client's socket was full, the server's thread only

    private EchoServer(SocketAddress address) throws IOException {
        selector = Check.open();
        listener = address instanceof UnixDomainSocketAddress
            ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
        listener.bind(address);
        listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] args) throws Exception {
        exercise(address(args[0], "first.socket"), 1);  // what the JDK opens once and keeps, it has opened
        int before = Check.descriptors().size();
        int stalls = exercise(address(args[0], "second.socket"), CLIENTS);
        Check.that(stalls > 0, "no write was ever incomplete: the test proves less than it says");
        Check.descriptorsFallTo(before);
    }

    private static SocketAddress address(String family, String file) {
        return family.equals("unix")
            ? UnixDomainSocketAddress.of(Path.of(file)) : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static int exercise(SocketAddress address, int clients) throws Exception {
        EchoServer server = new EchoServer(address);
        try (Threads threads = new Threads()) {
            threads.start("server", server::serve);
            try (Threads talking = new Threads()) {
                SocketAddress to = server.listener.getLocalAddress();
                for (int i = 0; i < clients; i++) {
                    Random random = new Random(i);
                    talking.start("client " + i, () -> chat(to, random));
                }
                talking.start("bulk", () -> bulk(to));
            } finally {
                server.stopped = true;
                server.selector.wakeup();
            }
        }
        return server.stalls;
    }

    private void serve() throws IOException {
        try (selector; listener) {
            while (!stopped) {
                selector.select();
                for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    if (key.isAcceptable()) {
                        accept();
                    } else {
                        echo(key);
                    }
                }
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();  // a client whose end the server had no time to see
            }
        }
    }

    private void accept() throws IOException {
        for (SocketChannel client = listener.accept(); client != null; client = listener.accept()) {
            client.configureBlocking(false).register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(8192));
        }
    }

    private void echo(SelectionKey key) throws IOException {
        SocketChannel client = (SocketChannel) key.channel();
        ByteBuffer buffer = (ByteBuffer) key.attachment();
        if (key.isReadable()) {
            if (client.read(buffer) < 0) {
                client.close();
                return;
            }
            buffer.flip();
        }
        client.write(buffer);
        if (buffer.hasRemaining()) {
            stalls++;
            key.interestOps(SelectionKey.OP_WRITE);
        } else {
            buffer.clear();
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    private static void chat(SocketAddress to, Random random) throws IOException {
        try (SocketChannel channel = SocketChannel.open(to)) {
            for (int i = 0; i < MESSAGES; i++) {
                byte[] message = new byte[1 + random.nextInt(LONGEST)];
                random.nextBytes(message);
                writeAll(channel, ByteBuffer.wrap(message));
                ByteBuffer answer = ByteBuffer.allocate(message.length);
                readAll(channel, answer);
                Check.same(ByteBuffer.wrap(message), answer.flip(), "message " + i);
            }
        }
    }

    /** Writes from another thread for as long as both sockets take it; only then starts to read. */
    private static void bulk(SocketAddress to) throws Exception {
        byte[] bytes = new byte[BULK];
        new Random(BULK).nextBytes(bytes);
        try (SocketChannel channel = SocketChannel.open(to); Threads threads = new Threads()) {
            Thread writer = threads.start("bulk writer", () -> writeAll(channel, ByteBuffer.wrap(bytes)));
            writer.join(500);
            ByteBuffer answer = ByteBuffer.allocate(BULK);
            readAll(channel, answer);
            Check.same(ByteBuffer.wrap(bytes), answer.flip(), "bulk");
        }
    }

    private static void writeAll(SocketChannel channel, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    private static void readAll(SocketChannel channel, ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            Check.that(channel.read(to) >= 0, "the server closed the connection");
        }
    }
}
