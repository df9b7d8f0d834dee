// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Peer;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Each phase of a connection has its time, and no other one is cut short by that. */
class PhaseTest {
    private static final Duration SHORT = Duration.ofMillis(80);

    private static Peer peer(ServerLab lab, boolean isSecure) throws Exception {
        if (!isSecure) {
            return lab.client();
        }
        TlsClient client = TlsClient.of(lab, TlsClient.PROTOCOLS[0]);
        client.socket.startHandshake();
        return client;
    }

    /** Echoes what ends with a dot, and consumes each 'p' as a part of that. */
    private static void echo(ByteBuffer data, Exchange exchange) {
        if (data.get(data.limit() - 1) == '.') {
            ServerLab.echo(data, exchange);
        } else if (data.get(0) == 'p') {
            data.position(1);
            exchange.continueRequest();
        }
    }

    private static void serve(ServerLab lab, boolean isSecure, Phase phase) throws Exception {
        StreamServerBuilder builder = lab.anywhere(() -> PhaseTest::echo).timeout(phase, SHORT);
        lab.serve(isSecure ? builder.tls(TlsLab.context(true)) : builder);
    }

    /** Speaks a byte at a time, and is never done, until the server has ended this often. */
    private static void trickleUntil(ServerLab lab, Peer peer, String letter, Predicate<ServerStatistics> isEnded)
            throws Exception {
        long end = System.nanoTime() + ServerLab.PATIENCE;
        while (!isEnded.test(lab.server().statistics())) {
            assertTrue(System.nanoTime() < end, "it should have been ended");
            try {
                peer.say(letter);
            } catch (IOException e) {
                // it was, just now
            }
            Thread.sleep(5);
        }
    }

    private static void assertLives(Peer peer) throws IOException {
        peer.say(".");
        assertEquals('.', peer.hear(1).charAt(0));
    }

    private static Peer peerThatHasAsked(ServerLab lab, boolean isSecure) throws Exception {
        Peer peer = peer(lab, isSecure);
        assertLives(peer);
        return peer;
    }

    @EachMechanism
    void whoSaysNothingIsEndedAndWhoHasSaidSomethingIsNot(ServerLab lab) throws Exception {
        for (boolean isSecure : new boolean[] {false, true}) {
            serve(lab, isSecure, Phase.FIRST_BYTE);
            Peer asked = null;
            while (asked == null) {
                try {
                    asked = peerThatHasAsked(lab, isSecure);
                } catch (IOException | StringIndexOutOfBoundsException e) {
                    // the machine was so busy that it was too late
                }
            }
            Peer begun = peer(lab, isSecure);
            begun.say("x");
            long before = lab.server().statistics().closedIdle();
            for (int i = 1; i <= 3; i++) {
                Peer silent = peer(lab, isSecure);
                lab.until(counts -> counts.closedIdle() > before);
                assertEquals("", silent.hear(1));
            }
            assertLives(asked);
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void whoSendsAByteNowAndThenIsEndedAndWhoIsIdleIsNot(ServerLab lab) throws Exception {
        for (boolean isSecure : new boolean[] {false, true}) {
            serve(lab, isSecure, Phase.REQUEST);
            Peer silent = peer(lab, isSecure);
            Peer idle = peerThatHasAsked(lab, isSecure);
            trickleUntil(lab, peerThatHasAsked(lab, isSecure), "x", counts -> counts.closedTooSlow() == 1);
            trickleUntil(lab, peerThatHasAsked(lab, isSecure), "p", counts -> counts.closedTooSlow() == 2);
            assertLives(silent);
            assertLives(idle);
            assertEquals(0, lab.server().statistics().closedIdle());
        }
        lab.assertNoProblem();
    }

    /** It has a handle, so it is full duplex: replies that wait do not stop the clock of its request. */
    @EachMechanism
    void whoReadsNothingMeanwhileIsEndedToo(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder(PhaseTest::echo);
        lab.serve(lab.anywhere(() -> recorder).timeout(Phase.REQUEST, SHORT).maxPending(100_000_000));
        Peer peer = peer(lab, false);
        recorder.opened.take().send(ByteBuffer.allocate(20_000_000));
        trickleUntil(lab, peer, "x", counts -> counts.closedTooSlow() == 1);
        assertEquals(0, lab.server().statistics().closedUnread());
    }

    @EachMechanism
    void whoAsksNoMoreIsEndedAndWhoHasNotBegunOrIsSlowIsNot(ServerLab lab) throws Exception {
        for (boolean isSecure : new boolean[] {false, true}) {
            serve(lab, isSecure, Phase.IDLE);
            Peer silent = peer(lab, isSecure);
            Peer slow = peer(lab, isSecure);
            slow.say("x");
            for (int i = 1; i <= 3; i++) {
                Peer idle = peerThatHasAsked(lab, isSecure);
                assertEquals("", idle.hear(1));
            }
            lab.until(counts -> counts.closedIdle() == 3);
            slow.say("x.");
            assertEquals("xx.", slow.hear(3));
            assertLives(silent);
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void aHandshakeHasItsTimeAndNothingElse(ServerLab lab) throws Exception {
        serve(lab, true, Phase.HANDSHAKE);
        Client silent = lab.client();
        Problem problem = lab.problem();
        assertEquals(Place.CONNECTION, problem.place());
        assertTrue(problem.error().getMessage().contains("HANDSHAKE"), problem::toString);
        assertEquals(silent.channel.getLocalAddress(), problem.peer());
        silent.hearUntilTheEnd();
        lab.until(counts -> counts.closedFailed() == 1);
        Client slow = lab.client();
        slow.say("\26\3\1\100\0"); // a record of 16 KiB begins
        trickleUntil(lab, slow, "x", counts -> counts.closedFailed() == 2);
        assertEquals(Place.CONNECTION, lab.problem().place());
        lab.serve(lab.anywhere(() -> PhaseTest::echo).timeout(Phase.HANDSHAKE, SHORT));
        Peer plain = peer(lab, false);
        try (ServerSocket mute = new ServerSocket(0)) {
            Recorder recorder = new Recorder(PhaseTest::echo);
            lab.server().connect(mute.getLocalSocketAddress(), recorder, TlsClient.clientEngine());
            assertEquals(CloseReason.FAILED, recorder.reasons.take());
        }
        assertEquals(Place.CONNECTION, lab.problem().place());
        assertLives(plain);
        lab.assertNoProblem();
    }

    /** Some hundred bytes at a time are not enough, though the system tells of each. */
    @EachMechanism
    void whoReadsTooSlowlyIsEndedAndWhoIsSilentIsNot(ServerLab lab) throws Exception {
        ByteBuffer large = ByteBuffer.allocateDirect(20_000_000);
        for (boolean hasHandle : new boolean[] {false, true}) {
            lab.serve(lab.anywhere(() -> (data, exchange) -> {
                if (ServerLab.letter(data) == '.') {
                    exchange.send(ServerLab.bytes("."));
                } else if (hasHandle) {
                    exchange.connection().send(large);
                } else {
                    exchange.send(large);
                }
            }).timeout(Phase.WRITING, Duration.ofMillis(400)));
            Peer idle = peerThatHasAsked(lab, false);
            SocketChannel slow = lab.opened(SocketChannel.open());
            slow.setOption(StandardSocketOptions.SO_RCVBUF, 1000);
            slow.connect(lab.server().address());
            slow.write(ServerLab.bytes("?"));
            ByteBuffer some = ByteBuffer.allocate(20);
            long end = System.nanoTime() + ServerLab.PATIENCE;
            while (lab.server().statistics().closedUnread() == 0) {
                assertTrue(System.nanoTime() < end, "it should have been ended");
                try {
                    slow.read(some.clear());
                } catch (IOException e) {
                    // it was, just now
                }
                Thread.sleep(5);
            }
            Problem problem = lab.problem();
            assertEquals(Place.CONNECTION, problem.place());
            assertTrue(problem.error().getMessage().contains("WRITING"), problem::toString);
            assertLives(idle);
        }
        lab.assertNoProblem();
    }

    /** A handler that sends a stream pauses, so that no other request comes in between. */
    @EachMechanism
    void whoReadsNothingIsEndedThoughItIsPaused(ServerLab lab) throws Exception {
        ByteBuffer large = ByteBuffer.allocateDirect(20_000_000);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            exchange.connection().pause();
            exchange.connection().send(large);
        }).timeout(Phase.WRITING, SHORT));
        lab.client().say("?");
        Problem problem = lab.problem();
        assertEquals(Place.CONNECTION, problem.place());
        assertTrue(problem.error().getMessage().contains("WRITING"), problem::toString);
    }

    /** About as much is unsent all the time, since the server sends more as soon as it may. */
    @EachMechanism
    void whoReadsAnEndlessStreamIsNotEnded(ServerLab lab) throws Exception {
        ByteBuffer part = ByteBuffer.allocateDirect(100_000);
        Recorder recorder = new Recorder(PhaseTest::echo) {
            @Override
            public void onOpen(Exchange exchange) {
                onWritable(exchange.connection());
            }

            @Override
            public void onWritable(Connection connection) {
                while (connection.send(part)) {
                    // until it is refused
                }
            }
        };
        boolean wasHeldUp;
        do {
            lab.serve(lab.anywhere(() -> recorder).timeout(Phase.WRITING, Pulse.TIMEOUT));
            wasHeldUp = !isReadSteadily(lab.client());
        } while (wasHeldUp);
        assertEquals(0, lab.server().statistics().closedUnread());
    }

    /** For three times the time-out; false: the machine was so busy that it was not. */
    private static boolean isReadSteadily(Client client) throws Exception {
        Pulse pulse = new Pulse();
        ByteBuffer some = ByteBuffer.allocateDirect(40_000);
        long end = System.nanoTime() + 3 * Pulse.TIMEOUT.toNanos();
        try {
            while (System.nanoTime() < end) {
                pulse.beat();
                assertTrue(client.channel.read(some.clear()) > 0);
                Thread.sleep(5);
            }
            return true;
        } catch (IOException | AssertionError e) {
            if (!pulse.wasHeldUp()) {
                throw e;
            }
            return false;
        }
    }

    @EachMechanism
    void aConnectionHasTimesOfItsOwnWheneverTheyAreSet(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder((data, exchange) -> {
            if (data.get(0) == 'r') {
                exchange.setTimeout(Phase.REQUEST, SHORT);
            }
            echo(data, exchange);
        });
        lab.serve(() -> recorder);
        Peer other = peerThatHasAsked(lab, false);
        recorder.opened.take();
        Peer idle = peerThatHasAsked(lab, false);
        Connection connection = recorder.opened.take();
        connection.setTimeout(Phase.IDLE, SHORT);
        assertEquals("", idle.hear(1));
        assertEquals(CloseReason.IDLE, recorder.reasons.take());
        connection.setTimeout(Phase.IDLE, SHORT); // without effect
        trickleUntil(lab, peer(lab, false), "r", counts -> counts.closedTooSlow() == 1);
        assertEquals(CloseReason.TOO_SLOW, recorder.reasons.take());
        assertLives(other);
        lab.assertNoProblem();
    }

    /** Neither has the next connection at its place. */
    @EachMechanism
    void aConnectionMayHaveAllTheTime(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(0) != 'x') {
                exchange.setTimeout(Phase.IDLE, data.get(0) == 'k' ? Duration.ZERO : SHORT);
            }
            ServerLab.echo(data, exchange);
        }).timeout(Phase.IDLE, SHORT));
        Peer kept = peer(lab, false);
        kept.say("k");
        assertEquals("k", kept.hear(1));
        for (int i = 0; i < 3; i++) {
            Peer idle = peer(lab, false);
            idle.say("x");
            assertEquals("x", idle.hear(2));
        }
        kept.say("s");
        assertEquals("s", kept.hear(2));
        Peer next = peer(lab, false);
        next.say("x");
        assertEquals("x", next.hear(2));
        lab.assertNoProblem();
    }

    /** What the server sends on its own keeps a connection from being idle, as far as it is taken. */
    @EachMechanism
    void whoIsSentSomethingIsNotIdle(ServerLab lab) throws Exception {
        Recorder recorder = new Recorder(PhaseTest::echo);
        lab.serve(lab.anywhere(() -> recorder).timeout(Phase.FIRST_BYTE, Pulse.TIMEOUT));
        Peer listener = peer(lab, false);
        Connection connection = recorder.opened.take();
        Pulse pulse = new Pulse();
        int rounds = 0;
        while (lab.server().statistics().closedIdle() == 0) {
            if (rounds++ == 0) {
                peer(lab, false);
            }
            pulse.beat();
            connection.send(ServerLab.bytes("!"));
            assertEquals("!", listener.hear(1));
            Thread.sleep(5);
        }
        assertTrue(connection.isOpen() || pulse.wasHeldUp());
    }

    @Test
    void aNegativeTimeIsRefused() {
        StreamServerBuilder builder = StreamServer.at(ServerLab.loopback(0), () -> PhaseTest::echo);
        assertThrows(IllegalArgumentException.class, () -> builder.timeout(Phase.IDLE, Duration.ofNanos(-1)));
    }
}
