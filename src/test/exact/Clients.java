// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;

/**
 * Asks for a number of replies on some ports, and checks each byte. Half of the connections have one request under way,
 * half 16. Some read slowly into small buffers. All shut their output in the end, and expect the end after the last
 * reply: some of them before that is there, if the server answers then. A few reset the connection instead.
 *
 * <p>Arguments: the number, whether outputs may be shut early, and the ports.
 */
public final class Clients {
    private static final int CONNECTIONS = 128, DEEP = 16, LONGEST = 200_000, LIFE = 300;
    private static final Random RANDOM = new Random(1);

    private static Selector selector;
    private static boolean mayShutEarly;
    private static long left;
    private static int open;
    private static long requests, bytes, resets, halfCloses, connections;

    private Clients() {
    }

    public static void main(String[] arguments) throws Exception {
        selector = Selector.open();
        left = Long.parseLong(arguments[0]);
        mayShutEarly = Boolean.parseBoolean(arguments[1]);
        for (; open < CONNECTIONS; open++) {
            new Client(open, Integer.parseInt(arguments[2 + open % (arguments.length - 2)])).connect();
        }
        while (open > 0) {
            if (selector.select(key -> serve((Client) key.attachment()), 30_000) == 0) {
                throw new AssertionError(open + " connections get no more bytes");
            }
        }
        System.out.println(requests + " replies, " + bytes + " bytes, " + connections + " connections, " + halfCloses
                + " half-closed, " + resets + " reset");
        System.out.println("every byte was right");
    }

    private static void serve(Client client) {
        try {
            client.receive();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private record Asked(int length, int seed) {
    }

    /** One connection after the other. */
    private static final class Client {
        private final InetSocketAddress address;
        private final int depth;
        private final boolean isSlow;
        private final Queue<Asked> asked = new ArrayDeque<>();
        private final ByteBuffer input;
        private SocketChannel channel;
        private int life;
        private boolean isShut;
        private int place; // in the reply's body; -1 before it

        Client(int number, int port) {
            address = new InetSocketAddress(Exchange.HOST, port);
            depth = number / 2 % 2 == 0 ? 1 : DEEP;
            isSlow = number / 4 % 8 == 0;
            input = ByteBuffer.allocateDirect(isSlow ? 700 : 1 << 16);
        }

        void connect() throws IOException {
            connections++;
            channel = SocketChannel.open();
            if (isSlow) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
            }
            channel.connect(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            life = 1 + RANDOM.nextInt(LIFE);
            isShut = false;
            place = -1;
            input.clear();
            asked.clear();
            ask(); // blocking, as the socket has room
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
        }

        private void ask() throws IOException {
            ByteBuffer output = ByteBuffer.allocate(DEEP * 64);
            while (asked.size() < depth && life > 0 && left > 0) {
                life--;
                left--;
                Asked next = new Asked(length(), RANDOM.nextInt() >>> 1);
                asked.add(next);
                output.put(Exchange.request(next.length(), next.seed()));
            }
            output.flip();
            while (output.hasRemaining()) {
                channel.write(output);
            }
            if (mayShutEarly && (life == 0 || left == 0) && RANDOM.nextBoolean()) {
                shutOutput();
            }
        }

        private void shutOutput() throws IOException {
            isShut = true;
            halfCloses++;
            channel.shutdownOutput();
        }

        private static int length() {
            return switch (RANDOM.nextInt(100)) {
                case 0 -> RANDOM.nextInt(LONGEST);
                case 1, 2, 3, 4, 5 -> RANDOM.nextInt(20_000);
                default -> RANDOM.nextInt(1000);
            };
        }

        void receive() throws IOException {
            int n = channel.read(input);
            if (n < 0) {
                if (!isShut || input.position() > 0 || !asked.isEmpty()) {
                    throw new AssertionError("an end, and " + asked.size() + " replies are missing");
                }
                channel.close();
                next();
                return;
            }
            bytes += n;
            input.flip();
            while (!asked.isEmpty() && take(asked.element())) {
                asked.remove();
                requests++;
                place = -1;
            }
            if (asked.isEmpty() && input.hasRemaining()) {
                throw new AssertionError("bytes after the last reply");
            }
            input.compact();
            goOn();
        }

        private void goOn() throws IOException {
            if (!isShut && life > 0 && left > 0 && asked.size() <= depth / 2) {
                ask();
            }
            if (asked.isEmpty() && !isShut) {
                shutOutput();
            } else if (asked.size() == DEEP && RANDOM.nextInt(2000) == 0) {
                resets++;
                left += asked.size();
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                channel.close();
                next();
            }
        }

        private void next() throws IOException {
            if (left > 0) {
                connect();
            } else {
                open--;
            }
        }

        /** Checks what is there of a reply; true if that is all. */
        private boolean take(Asked reply) {
            if (place < 0 && !takeHead(reply)) {
                return false;
            }
            for (; place < reply.length() && input.hasRemaining(); place++) {
                if (input.get() != Exchange.at(reply.seed(), place)) {
                    throw new AssertionError("a wrong byte at " + place + " of " + reply);
                }
            }
            return place == reply.length();
        }

        private boolean takeHead(Asked reply) {
            for (int i = input.position() + 3; i < input.limit(); i++) {
                if (input.get(i) == '\n' && input.get(i - 2) == '\n') {
                    byte[] head = new byte[i + 1 - input.position()];
                    input.get(head);
                    String text = new String(head, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                    if (!text.startsWith("http/1.1 200 ok\r\n")
                            || !text.contains("\r\ncontent-length: " + reply.length() + "\r\n")) {
                        throw new AssertionError("a wrong head: " + text);
                    }
                    place = 0;
                    return true;
                }
            }
            return false;
        }
    }
}
