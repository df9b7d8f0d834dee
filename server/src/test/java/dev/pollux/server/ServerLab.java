// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.ArenaMechanisms;
import dev.pollux.lab.Workbench;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A workbench of an arena's mechanism under test: servers, and clients that talk to the last of them. The system
 * property {@code pollux.test.mechanisms} names the mechanisms; else it is all that work here.
 */
final class ServerLab extends Workbench {
    static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    private final String mechanism;
    private final BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
    private StreamServer server;

    /** What an error handler was told. */
    record Problem(Place place, Throwable error, SocketAddress peer) {
    }

    /** The other side of a connection, by TLS or without. */
    interface Peer {
        void say(String text) throws IOException;

        /** The next characters, fewer if the stream ends before. */
        String hear(int length) throws IOException;

        default void assertHears(String expected) throws IOException {
            assertEquals(expected, hear(expected.length()));
        }
    }

    /** The other side of a connection, by a channel. */
    static final class Client implements Peer, AutoCloseable {
        final SocketChannel channel;

        Client(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void say(String text) throws IOException {
            ByteBuffer bytes = bytes(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }

        @Override
        public String hear(int length) throws IOException {
            return text(hearBytes(length));
        }

        /** The next bytes, fewer if the stream ends before. */
        ByteBuffer hearBytes(int length) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // more may come
            }
            return bytes.flip();
        }

        /** The server has closed the connection, be it by a reset. */
        void assertIsClosed() {
            try {
                assertEquals("", hear(1));
            } catch (IOException e) {
                // a reset: the server had not read all
            }
        }

        /** Whatever comes, until the server has closed the connection, be it by a reset. */
        void hearUntilTheEnd() {
            try {
                while (hearBytes(1 << 13).hasRemaining()) {
                    // more may come
                }
            } catch (IOException e) {
                // a reset: something was cut off
            }
        }

        /** As {@link #assertIsClosed}, though this may have come before. */
        void assertIsClosedAfter(String last) {
            try {
                String heard = hear(last.length() + 1);
                assertTrue(last.startsWith(heard), heard);
            } catch (IOException e) {
                // a reset: the server had not read all
            }
        }

        /** The peer gets a reset, not the end of the stream. */
        void reset() throws IOException {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private ServerLab(String mechanism) {
        super(SelectorProvider.provider());
        this.mechanism = mechanism;
    }

    static Stream<ServerLab> all() {
        String named = System.getProperty("pollux.test.mechanisms");
        return (named != null ? Stream.of(named.split(",")) : ArenaMechanisms.here()).map(ServerLab::new);
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    static String text(ByteBuffer bytes) {
        return StandardCharsets.US_ASCII.decode(bytes).toString();
    }

    /** Consumes all of it. */
    static void skip(ByteBuffer data) {
        data.position(data.limit());
    }

    /** A handler that sends all of it back. */
    static void echo(ByteBuffer data, Exchange exchange) {
        exchange.send(data.rewind());
        skip(data);
    }

    /** Sends back what was consumed of it. */
    static void echoConsumed(ByteBuffer data, Exchange exchange) {
        int length = data.position();
        exchange.send(data.flip());
        data.position(length);
    }

    /** A handler that sends all of it back, but hands over what begins with "s". */
    static void echoUnlessSlow(ByteBuffer data, Exchange exchange) {
        if (data.get(0) == 's') {
            exchange.handOver();
        } else {
            echo(data, exchange);
        }
    }

    /** Consumes a request of one letter. */
    static char letter(ByteBuffer data) {
        return (char) data.get();
    }

    String mechanism() {
        return mechanism;
    }

    boolean isUring() {
        return mechanism.equals("io_uring");
    }

    @Override
    public void warmUp() throws Exception {
        try (ServerLab other = new ServerLab(mechanism)) {
            other.serve(() -> ServerLab::echoUnlessSlow);
            other.client().say("s");
            Client client = other.client();
            client.say("1");
            client.assertHears("1");
        }
    }

    StreamServerBuilder at(SocketAddress address, Supplier<ConnectionHandler> handlers) {
        return StreamServer.at(address, handlers).mechanism(mechanism)
                .onError((place, error, peer) -> problems.add(new Problem(place, error, peer)));
    }

    StreamServerBuilder anywhere(Supplier<ConnectionHandler> handlers) {
        return at(loopback(0), handlers);
    }

    StreamServer serve(StreamServerBuilder builder) throws IOException {
        server = opened(builder.start());
        return server;
    }

    StreamServer serve(Supplier<ConnectionHandler> handlers) throws IOException {
        return serve(anywhere(handlers));
    }

    StreamServer server() {
        return server;
    }

    /** Clients of a handler that echoes what begins with "e"; they are served. */
    List<Client> neighbours(int count) throws IOException {
        List<Client> neighbours = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            neighbours.add(client());
        }
        assertAreServed(neighbours);
        return neighbours;
    }

    /** Each of them gets what it says, and they say it at once. */
    static void assertAreServed(List<Client> neighbours) throws IOException {
        for (int i = 0; i < neighbours.size(); i++) {
            neighbours.get(i).say("e" + i);
        }
        for (int i = 0; i < neighbours.size(); i++) {
            neighbours.get(i).assertHears("e" + i);
        }
    }

    Client client() throws IOException {
        SocketChannel channel = SocketChannel.open(server.address());
        Client client = opened(new Client(channel));
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        return client;
    }

    /** One that has asked for something before a short idle timeout has closed its connection. */
    Client clientThatHasAsked(String request) throws Exception {
        while (true) {
            ServerStatistics before = server.statistics();
            Client client = client();
            client.say(request);
            ServerStatistics after = until(counts -> counts.requests() > before.requests()
                    || counts.closedIdle() > before.closedIdle());
            if (after.requests() > before.requests()) {
                return client;
            }
        }
    }

    /** What goes wrong next. */
    Problem problem() throws InterruptedException {
        Problem next = problems.poll(PATIENCE, TimeUnit.NANOSECONDS);
        assertNotNull(next, "nothing went wrong");
        return next;
    }

    void assertNoProblem() {
        assertEquals(null, problems.peek());
    }

    void assertNoProblemBut(Place... places) {
        problems.forEach(problem -> assertTrue(List.of(places).contains(problem.place()), problem::toString));
    }

    /** Waits until the server has counted as much. */
    ServerStatistics until(Predicate<ServerStatistics> condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE;
        ServerStatistics statistics;
        do {
            assertTrue(System.nanoTime() < end, () -> "waited for too long: " + server.statistics());
            Thread.sleep(1);
            statistics = server.statistics();
        } while (!condition.test(statistics));
        return statistics;
    }

    @Override
    public String toString() {
        return mechanism;
    }
}
