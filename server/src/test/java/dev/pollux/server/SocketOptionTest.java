// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Options of the sockets of connections. */
class SocketOptionTest {
    private static final int SMALL = 10_000;

    /** In a task of the connection. */
    private interface Question<T> {
        T ask(Connection connection) throws IOException;
    }

    private static <T> T ask(Connection connection, Question<T> question) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        connection.execute(() -> {
            try {
                answer.complete(question.ask(connection));
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        return answer.get();
    }

    private static Set<SocketOption<?>> optionsOf(SocketChannel channel) throws IOException {
        try (channel) {
            return channel.supportedOptions();
        }
    }

    /** The handler has them at its first call, with several loops too, which hand connections over. */
    @EachMechanism
    void acceptedOnesHaveThoseOfTheBuilderFromTheStart(ServerLab lab) throws Exception {
        for (int loops = 1; loops <= 2; loops++) {
            lab.serve(lab.anywhere(() -> new Recorder(ServerLab::echo) {
                @Override
                public void onOpen(Exchange exchange) throws IOException {
                    Connection connection = exchange.connection();
                    exchange.send(ServerLab.bytes(connection.getOption(StandardSocketOptions.SO_KEEPALIVE)
                            + " " + connection.getOption(StandardSocketOptions.TCP_NODELAY)
                            + " " + (connection.getOption(StandardSocketOptions.SO_SNDBUF) <= 4 * SMALL) + "."));
                }
            }).option(StandardSocketOptions.SO_KEEPALIVE, true).option(StandardSocketOptions.TCP_NODELAY, false)
                    .option(StandardSocketOptions.SO_SNDBUF, SMALL).loops(loops));
            for (int i = 0; i < 10; i++) {
                Client client = lab.client();
                client.say("x");
                client.assertHears("true false true.x");
            }
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void aConnectionsOptionsAreSetAtAnyTime(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder(ServerLab::echo);
        lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        assertEquals(true, ask(connection, one -> one.getOption(StandardSocketOptions.TCP_NODELAY)));
        ask(connection, one -> {
            one.setOption(StandardSocketOptions.TCP_NODELAY, false);
            return null;
        });
        assertEquals(false, ask(connection, one -> one.getOption(StandardSocketOptions.TCP_NODELAY)));
        assertEquals(optionsOf(SocketChannel.open()), ask(connection, Connection::supportedOptions));
        client.say("x");
        client.assertHears("x");
        assertThrows(IllegalStateException.class, connection::supportedOptions);
        lab.assertNoProblem();
    }

    @EachMechanism
    void inTheUnixDomainTheyAreThoseOfItsChannels(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder(ServerLab::echo);
        Path folder = Files.createTempDirectory("options");
        lab.serve(lab.at(UnixDomainSocketAddress.of(folder.resolve("s")), () -> recorder)
                .option(StandardSocketOptions.SO_SNDBUF, SMALL));
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        assertTrue(ask(connection, one -> one.getOption(StandardSocketOptions.SO_SNDBUF)) <= 4 * SMALL);
        assertEquals(optionsOf(SocketChannel.open(StandardProtocolFamily.UNIX)),
                ask(connection, Connection::supportedOptions));
        client.say("x");
        client.assertHears("x");
        lab.server().close();
        Files.delete(folder);
        lab.assertNoProblem();
    }

    @EachMechanism
    void whatCannotBeSetIsRefused(ServerLab lab) throws Exception {
        assertThrows(UnsupportedOperationException.class, lab.anywhere(() -> ServerLab::echo)
                .option(StandardSocketOptions.IP_MULTICAST_TTL, 1)::start);
        assertThrows(IllegalArgumentException.class, lab.anywhere(() -> ServerLab::echo)
                .option(StandardSocketOptions.SO_SNDBUF, -1)::start);
        Recorder recorder = new Recorder(ServerLab::echo) {
            @Override
            public void onClose(Exchange exchange, CloseReason reason) throws Exception {
                assertThrows(IOException.class,
                        () -> exchange.connection().setOption(StandardSocketOptions.SO_KEEPALIVE, true));
                super.onClose(exchange, reason);
            }
        };
        lab.serve(() -> recorder);
        lab.client().close();
        assertEquals(CloseReason.PEER, recorder.reasons.take());
        lab.assertNoProblem();
    }

    @EachMechanism
    void aConnectionTellsWhetherItWouldAcceptSomething(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder(ServerLab::echo);
        lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        int sent = 0;
        ByteBuffer some = ByteBuffer.allocate(100_000);
        for (boolean isAccepted = true; isAccepted;) {
            boolean isWritable = connection.isWritable();
            isAccepted = connection.send(some); // of what was pending, the loop may have sent some by now
            assertTrue(isAccepted || !isWritable);
            sent += isAccepted ? some.capacity() : 0;
        }
        assertEquals(sent, client.hear(sent).length());
        recorder.writable.take();
        assertTrue(connection.isWritable());
        connection.close();
        assertTrue(!connection.isWritable());
    }
}
