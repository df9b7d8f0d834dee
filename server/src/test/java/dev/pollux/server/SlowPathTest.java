// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;

/** Connections that leave the fast path, and that come to it. */
class SlowPathTest {
    private static final Executor THREADS = task -> new Thread(task).start();

    /** Echoes, but what begins with "s" leaves. */
    private static StreamServerBuilder leaving(ServerLab lab, SlowPath path, Executor threads) {
        return lab.anywhere(() -> ServerLab::echoUnlessSlow).slowPath(path, threads);
    }

    @EachMechanism
    void aConnectionTakesTheSlowPathAndComesBack(ServerLab lab) throws Exception {
        lab.serve(leaving(lab, (channel, unread) -> {
            assertEquals('s', unread.get());
            channel.write(ServerLab.bytes("slow "));
            lab.server().adopt(channel, unread);
        }, THREADS));
        Client client = lab.client();
        for (int i = 0; i < 20; i++) {
            client.say("fast");
            client.assertHears("fast");
            client.say("sfast");
            client.assertHears("slow fast");
        }
        lab.assertNoProblem();
        lab.until(counts -> counts.slowPath() == 20 && counts.adopted() == 20 && counts.open() == 1);
    }

    @EachMechanism
    void itIsAnOrdinaryChannel(ServerLab lab) throws Exception {
        BlockingQueue<SocketChannel> channels = new LinkedBlockingQueue<>();
        lab.serve(leaving(lab, (channel, unread) -> channels.add(channel), THREADS));
        Client client = lab.client();
        client.say("s");
        SocketChannel channel = lab.opened(channels.take());
        assertTrue(channel.isBlocking() && channel.isConnected());
        assertEquals(client.channel.getLocalAddress(), channel.getRemoteAddress());
        assertEquals(client.channel.getRemoteAddress(), channel.getLocalAddress());
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        channel.setOption(StandardSocketOptions.IP_TOS, 8);
        channel.configureBlocking(false);
        try (Selector selector = channel.provider().openSelector()) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            client.say("more");
            assertEquals(1, selector.select());
            assertTrue(key.isReadable());
            ByteBuffer bytes = ByteBuffer.allocate(10);
            channel.read(bytes);
            assertEquals("more", ServerLab.text(bytes.flip()));
        }
    }

    @EachMechanism
    void repliesBeforeItAreSentFirst(ServerLab lab) throws Exception {
        ByteBuffer large = ByteBuffer.allocate(2_000_000);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(0) == 's') {
                exchange.handOver();
                return;
            }
            ServerLab.letter(data);
            exchange.send(large);
        }).maxPending(large.capacity() * 2).slowPath((channel, unread) -> {
            channel.write(unread);
            channel.close();
        }, THREADS));
        Client client = lab.client();
        client.say("lslow");
        assertEquals(large.capacity(), client.hear(large.capacity()).length());
        client.assertHears("slow");
        client.assertIsClosed();
    }

    @EachMechanism
    void whatItThrowsIsToldAndTheChannelIsClosed(ServerLab lab) throws Exception {
        lab.serve(leaving(lab, (channel, unread) -> {
            throw new IOException("on purpose");
        }, THREADS));
        Client client = lab.client();
        client.say("s");
        client.assertIsClosed();
        Problem problem = lab.problem();
        assertEquals(Place.SLOW_PATH, problem.place());
        assertEquals("on purpose", problem.error().getMessage());
        assertEquals(client.channel.getLocalAddress(), problem.peer());
    }

    @EachMechanism
    void aConnectionThatNothingTakesOverIsAnError(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> exchange.handOver());
        Client client = lab.client();
        client.say("s");
        client.assertIsClosed();
        Problem problem = lab.problem();
        assertEquals(Place.SLOW_PATH, problem.place());
        assertTrue(problem.error().getMessage().contains("slowPath"), problem.toString());
        assertEquals(client.channel.getLocalAddress(), problem.peer());
        lab.until(counts -> counts.slowPath() == 1 && counts.open() == 0);
    }

    /** By default, the slow path runs on the loop's own thread. */
    @EachMechanism
    void anInterruptThatItLeavesBehindHarmsNoOther(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            Thread.sleep(0); // an InterruptedException, if it is interrupted
            ServerLab.echoUnlessSlow(data, exchange);
        }).slowPath((channel, unread) -> {
            channel.close();
            Thread.currentThread().interrupt();
        }, Runnable::run));
        Client client = lab.client();
        client.say("s");
        client.assertIsClosed();
        Client other = lab.client();
        other.say("fast");
        other.assertHears("fast");
        lab.assertNoProblem();
    }

    @EachMechanism
    void anExecutorMayRefuse(ServerLab lab) throws Exception {
        lab.serve(leaving(lab, (channel, unread) -> { }, task -> {
            throw new RejectedExecutionException("full");
        }));
        Client client = lab.client();
        client.say("s");
        client.assertIsClosed();
        assertEquals(Place.SLOW_PATH, lab.problem().place());
        Client other = lab.client();
        other.say("fast");
        other.assertHears("fast");
    }

    @EachMechanism
    void aResetOnTheWayThereIsAFailureOfTheConnection(ServerLab lab) throws Exception {
        CountDownLatch isReset = new CountDownLatch(1);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            isReset.await();
            exchange.handOver();
        }).slowPath((channel, unread) -> channel.close(), Runnable::run));
        Client client = lab.client();
        client.say("s");
        lab.until(counts -> counts.accepted() == 1);
        client.reset();
        isReset.countDown();
        lab.until(counts -> counts.slowPath() == 1 && counts.open() == 0);
        // Wine, for one, ends it instead of resetting it.
        lab.assertNoProblemBut(Place.CONNECTION);
    }

    @EachMechanism
    void aConnectionOfAnyOriginIsAdopted(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        try (SocketChannel four = SocketChannel.open(StandardProtocolFamily.INET)) {
            assertThrows(NotYetConnectedException.class, () -> lab.server().adopt(four, ByteBuffer.allocate(0)));
        }
        ServerLab.Connection connection = lab.tcp();
        try (Selector selector = connection.near().provider().openSelector()) {
            connection.near().register(selector, SelectionKey.OP_READ);
            assertThrows(IllegalBlockingModeException.class,
                    () -> lab.server().adopt(connection.near(), ByteBuffer.allocate(0)));
        }
        assertTrue(connection.near().isOpen(), "what was not adopted is left alone");
        lab.server().adopt(connection.near(), ServerLab.bytes("first "));
        Client client = new Client(connection.far());
        client.say("second");
        client.assertHears("first second");
        lab.until(counts -> counts.adopted() == 1);
        assertFalse(connection.near().isOpen());
        assertThrows(ClosedChannelException.class,
                () -> lab.server().adopt(connection.near(), ByteBuffer.allocate(0)));
    }

    @EachMechanism
    void aClosedServerClosesWhatItIsGiven(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        lab.server().close();
        ServerLab.Connection connection = lab.tcp();
        lab.server().adopt(connection.near(), ByteBuffer.allocate(0));
        new Client(connection.far()).assertIsClosed();
        assertEquals("the server is closed", lab.problem().error().getMessage());
        assertFalse(connection.near().isOpen());
    }

    @EachMechanism
    void aFullServerClosesWhatItIsGiven(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).maxConnections(1));
        Client first = lab.client();
        first.say("x");
        first.assertHears("x");
        ServerLab.Connection connection = lab.tcp();
        lab.server().adopt(connection.near(), ByteBuffer.allocate(0));
        new Client(connection.far()).assertIsClosed();
        assertEquals(Place.CONNECTION, lab.problem().place());
        first.say("y");
        first.assertHears("y");
    }
}
