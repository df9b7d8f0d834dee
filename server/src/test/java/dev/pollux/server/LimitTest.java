// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.BindException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.function.Executable;

/** What a connection may not exceed, and what the server may not. */
class LimitTest {
    private static final Duration SHORT = Duration.ofMillis(80);

    @EachMechanism
    void aRequestThatIsTooLongClosesItsConnection(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> exchange.awaitMore()).maxRequest(10_000));
        Client client = lab.client();
        client.say("x".repeat(10_000));
        lab.until(counts -> counts.incomplete() > 0);
        assertEquals(1, lab.server().statistics().open());
        client.say("x");
        client.assertIsClosed();
        Problem problem = lab.problem();
        assertEquals(Place.CONNECTION, problem.place());
        assertTrue(problem.error().getMessage().contains("10000"), problem.toString());
        lab.until(counts -> counts.closedTooLong() == 1 && counts.open() == 0);
    }

    @EachMechanism
    void aPeerThatDoesNotReadStopsItsOwnRequests(ServerLab lab) throws Exception {
        ByteBuffer page = ByteBuffer.allocate(100_000);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.letter(data);
            exchange.send(page);
        }).maxPending(50_000_000));
        Client client = lab.client();
        client.say("?".repeat(10));
        long handled = lab.until(counts -> counts.requests() >= 10).requests();
        client.channel.configureBlocking(false);
        for (int i = 0; i < 100; i++) {
            client.channel.write(ServerLab.bytes("????????????????????"));
            Thread.sleep(1);
        }
        long more = lab.server().statistics().requests() - handled;
        assertTrue(more < 2000, "back-pressure: " + more); // of the 2000 that were asked for, those of some rounds
        Client other = lab.client();
        other.say("?");
        assertEquals(page.capacity(), other.hear(page.capacity()).length());
        assertEquals(2, lab.server().statistics().open());
    }

    @EachMechanism
    void moreConnectionsThanThereMayBeWaitToBeAccepted(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).maxConnections(2));
        Client one = lab.client();
        Client two = lab.client();
        one.say("1");
        two.say("2");
        one.assertHears("1");
        two.assertHears("2");
        Client three = lab.client();
        three.say("3");
        Thread.sleep(20);
        assertEquals(2, lab.server().statistics().open());
        one.close();
        three.assertHears("3");
        two.say("2");
        two.assertHears("2");
        lab.until(counts -> counts.accepted() == 3 && counts.open() == 2);
    }

    @EachMechanism
    void anIdleConnectionIsClosedAndABusyOneIsNot(ServerLab lab) throws Exception {
        do {
            lab.serve(lab.anywhere(() -> (data, exchange) -> {
                if (data.get(data.limit() - 1) == '.') {
                    ServerLab.echo(data, exchange);
                }
            }).idleTimeout(Pulse.TIMEOUT));
        } while (!areIdleOnesClosed(lab));
    }

    /** False: the machine was so busy that all were idle. */
    private static boolean areIdleOnesClosed(ServerLab lab) throws Exception {
        Client idle = lab.client();
        Client slow = lab.client(); // says something, but never a whole request
        Client busy = lab.client();
        Pulse pulse = new Pulse();
        try {
            long end = System.nanoTime() + ServerLab.PATIENCE;
            ServerStatistics counts = lab.server().statistics();
            while (counts.closedIdle() == 0 || counts.closedTooSlow() == 0) {
                assertTrue(System.nanoTime() < end, "should have been closed");
                if (counts.closedTooSlow() == 0) {
                    slow.say("x");
                }
                busy.say("x.");
                pulse.beat();
                busy.assertHears("x.");
                Thread.sleep(5);
                counts = lab.server().statistics();
            }
            idle.assertIsClosed();
            slow.assertIsClosed();
            busy.say("still here.");
            pulse.beat();
            busy.assertHears("still here.");
            return true;
        } catch (IOException | AssertionError e) {
            if (!pulse.wasHeldUp()) {
                throw e;
            }
            return false;
        }
    }

    @EachMechanism
    void aTimeoutThatNoClockReachesIsNone(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).idleTimeout(ChronoUnit.FOREVER.getDuration()));
        Client client = lab.client();
        client.say("?");
        client.assertHears("?");
    }

    @EachMechanism
    void aConnectionThatWaitsForADeferredReplyIsNotIdle(ServerLab lab) throws Exception {
        BlockingQueue<Reply> deferred = new LinkedBlockingQueue<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.skip(data);
            deferred.add(exchange.defer());
        }).idleTimeout(SHORT));
        Client client = lab.clientThatHasAsked("?");
        Reply reply = deferred.take();
        long closed = lab.server().statistics().closedIdle();
        Thread.sleep(SHORT.toMillis() * 3);
        reply.send(ServerLab.bytes("late"));
        client.assertHears("late");
        client.assertIsClosed();
        lab.until(counts -> counts.closedIdle() == closed + 1);
    }

    /** Not even one whose other side takes nothing of what it is sent. Beside it another one is closed. */
    @EachMechanism
    void aPausedConnectionIsNotIdle(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder(ServerLab::echo);
        lab.serve(lab.anywhere(() -> recorder).idleTimeout(SHORT));
        Client client = lab.client();
        Connection paused = recorder.opened.take();
        paused.pause();
        int length = 20_000_000;
        if (!paused.send(ByteBuffer.allocate(length))) {
            return; // the machine was so busy that it was idle before
        }
        for (int i = 0; i < 3; i++) {
            lab.client().assertIsClosed();
        }
        assertTrue(paused.isOpen());
        assertEquals(length, client.hear(length).length());
        lab.assertNoProblem();
        paused.resume();
        client.assertIsClosed();
        lab.until(counts -> counts.closedIdle() == 4);
    }

    @EachMechanism
    void whenNoDescriptorIsFreeConnectionsWaitWithoutASpin(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> ServerLab::echo);
        Client early = lab.client();
        early.say("early");
        early.assertHears("early");
        Deque<DatagramChannel> others = new ArrayDeque<>();
        try (java.nio.channels.SocketChannel late = java.nio.channels.SocketChannel.open()) {
            lab.useUpDescriptors(others);
            late.connect(server.address());
            assertEquals(Place.ACCEPT, lab.problem().place());
            long rounds = server.statistics().rounds();
            Thread.sleep(300);
            assertTrue(server.statistics().rounds() - rounds < 50, "it spins");
            early.say("early");
            early.assertHears("early");
            others.pop().close();
            others.pop().close();
            Client client = new Client(late);
            client.say("late");
            client.assertHears("late");
        } finally {
            for (DatagramChannel each : others) {
                each.close();
            }
        }
    }

    @EachMechanism
    void whatCannotBeIsRefused(ServerLab lab) {
        StreamServerBuilder builder = lab.anywhere(() -> (data, exchange) -> exchange.handOver());
        assertRefused("loops", () -> builder.loops(0));
        assertRefused("maxConnections", () -> builder.maxConnections(0));
        assertRefused("maxConnections may be 3500000", () -> builder.maxConnections(1_000_000_000));
        assertRefused("maxWaiting", () -> builder.maxWaiting(0));
        assertRefused("maxRequest", () -> builder.maxRequest(-1));
        assertRefused("maxPending", () -> builder.maxPending(0));
        assertRefused("backlog", () -> builder.backlog(0));
        assertRefused("a time-out is negative", () -> builder.idleTimeout(Duration.ofMillis(-1)));
        assertThrows(NullPointerException.class, () -> builder.onError(null));
        assertThrows(NullPointerException.class, () -> builder.slowPath(null, Runnable::run));
        assertThrows(NullPointerException.class, () -> StreamServer.at(null, () -> null));
        assertThrows(NullPointerException.class, () -> lab.anywhere(() -> null).start());
    }

    private static void assertRefused(String name, Executable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.startsWith(name), message);
    }

    @EachMechanism
    void aServerThatCannotBeOpenedSaysWhy(ServerLab lab) throws Exception {
        Supplier<ConnectionHandler> handlers = () -> (data, exchange) -> exchange.handOver();
        assertFails("carrier pigeons here; there are", lab.anywhere(handlers).mechanism("carrier pigeons"));
        assertFails(lab.mechanism(), lab.anywhere(handlers).mechanism("carrier pigeons"));
        StreamServer first = lab.serve(handlers);
        assertFails("Listening at " + first.address(), lab.at(first.address(), handlers));
        assertInstanceOf(BindException.class,
                assertThrows(IOException.class, () -> lab.at(first.address(), handlers).start()));
    }

    private static void assertFails(String words, StreamServerBuilder builder) {
        String message = assertThrows(IOException.class, builder::start).getMessage();
        assertTrue(message.contains(words), message);
    }
}
