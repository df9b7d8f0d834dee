// SPDX-License-Identifier: Apache-2.0
import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A server of one thread on NIO alone. It writes a reply at once, and what is left when there is room; or it waits for
 * room before each reply, as Kafka does.
 */
final class RawServer {
    private static final byte[] END = {'\r', '\n', '\r', '\n'};

    private final Selector selector = Selector.open();
    private final boolean waitsForRoom;

    private RawServer(boolean waitsForRoom) throws IOException {
        this.waitsForRoom = waitsForRoom;
    }

    /** Starts one whose sockets have send buffers of these sizes, 0 for the system's; port by port. */
    static void start(boolean waitsForRoom, int[] ports, int[] sizes) throws IOException {
        RawServer server = new RawServer(waitsForRoom);
        for (int i = 0; i < ports.length; i++) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress(Exchange.HOST, ports[i]), 1000).configureBlocking(false);
            listener.register(server.selector, OP_ACCEPT, sizes[i]);
        }
        new Thread(server::run).start();
    }

    private void run() {
        try {
            while (true) {
                selector.select(this::serve);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel(), (Integer) key.attachment());
            } else {
                ((Served) key.attachment()).serve(key);
            }
        } catch (IOException gone) {
            key.cancel();
            try {
                key.channel().close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void accept(ServerSocketChannel listener, int size) throws IOException {
        for (SocketChannel channel; (channel = listener.accept()) != null;) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (size > 0) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, size);
            }
            channel.register(selector, OP_READ, new Served());
        }
    }

    /** One connection. */
    private final class Served {
        private final ByteBuffer requests = ByteBuffer.allocateDirect(4096);
        private final Queue<ByteBuffer> replies = new ArrayDeque<>();
        private boolean isEnded;

        void serve(SelectionKey key) throws IOException {
            SocketChannel channel = (SocketChannel) key.channel();
            boolean hasRoom = key.isWritable() || !waitsForRoom;
            if (key.isReadable() && channel.read(requests) < 0) {
                isEnded = true;
            }
            if (key.isWritable()) {
                write(channel);
            }
            requests.flip();
            for (byte[] reply; replies.isEmpty() && (reply = next()) != null;) {
                replies.add(ByteBuffer.wrap(reply));
                if (hasRoom) {
                    write(channel);
                }
            }
            requests.compact();
            if (isEnded && replies.isEmpty()) {
                channel.close();
            } else {
                key.interestOps(replies.isEmpty() ? OP_READ : OP_WRITE);
            }
        }

        private void write(SocketChannel channel) throws IOException {
            while (!replies.isEmpty()) {
                channel.write(replies.peek());
                if (replies.peek().hasRemaining()) {
                    return;
                }
                replies.remove();
            }
        }

        /** {@return the reply to a request that is there as a whole, else null} */
        private byte[] next() {
            for (int i = requests.position(), found = 0; i < requests.limit(); i++) {
                byte each = requests.get(i);
                found = each == END[found] ? found + 1 : each == END[0] ? 1 : 0;
                if (found == END.length) {
                    byte[] head = new byte[i + 1 - requests.position()];
                    requests.get(head);
                    return reply(new String(head, StandardCharsets.ISO_8859_1).split(" ")[1]);
                }
            }
            return null;
        }

        private byte[] reply(String path) {
            byte[] body = Exchange.body(path);
            byte[] head = ("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            return ByteBuffer.allocate(head.length + body.length).put(head).put(body).array();
        }
    }
}
