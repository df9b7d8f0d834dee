// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;

/** Replies that the other side does not read, or reads later, or slowly: none is cut without a word. */
class UnreadReplyTest {
    private static final Duration SHORT = Duration.ofMillis(80);
    private static final int LARGE = 20_000_000;

    /** Answers each byte with a large reply, and closes behind that if it is a 'c'. */
    private static Supplier<ConnectionHandler> large(int length) {
        ByteBuffer reply = ByteBuffer.allocateDirect(length);
        return () -> (data, exchange) -> {
            if (ServerLab.letter(data) == 'c') {
                exchange.close();
            }
            exchange.send(reply);
        };
    }

    private static void assertWasCut(Client client, SocketAddress own, Problem problem) {
        assertEquals(Place.CONNECTION, problem.place());
        assertTrue(problem.error().getMessage().contains("bytes that "), problem.toString());
        assertEquals(own, problem.peer());
        assertThrows(IOException.class, () -> client.hear(LARGE), "the end of the stream would say that this is all");
    }

    /** What the kernel takes of it is some megabytes. */
    @EachMechanism
    void noMoreRequestsAreHandledThanTheirRepliesMayWait(ServerLab lab) throws Exception {
        int asked = 2000;
        int length = 1 << 17;
        lab.serve(lab.anywhere(large(length)).maxPending(1 << 20));
        Client client = lab.client();
        client.say("?".repeat(asked));
        long before = -1;
        for (long now = 0; now != before || now == 0; now = lab.server().statistics().requests()) {
            before = now;
            Thread.sleep(200);
        }
        assertTrue(before < 400, "handled, though none is read: " + before);
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
        for (long left = (long) asked * length; left > 0;) {
            int read = client.channel.read(some.clear());
            assertTrue(read > 0, "the end came with bytes left: " + left);
            left -= read;
        }
        client.say("?");
        assertEquals(length, client.hear(length).length());
        lab.assertNoProblem();
    }

    @EachMechanism
    void oneReplyMayBeLongerThanWhatMayWait(ServerLab lab) throws Exception {
        String large = "0123456789abcdef".repeat(1 << 19);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.skip(data);
            exchange.send(ServerLab.bytes(large));
        }).maxPending(1000));
        Client client = lab.client();
        client.say("?");
        client.assertHears(large);
        client.say("?");
        client.assertHears(large);
        lab.assertNoProblem();
    }

    /** At this rate it takes four times as long as the other side may be idle, and all of it waits from the start. */
    @Tag("load")
    @EachMechanism
    void whoReadsSlowlyIsNotIdle(ServerLab lab) throws Exception {
        for (String said : new String[] {"?", "c"}) {
            lab.serve(lab.anywhere(large(LARGE)).idleTimeout(Pulse.TIMEOUT));
            while (!isReadSlowly(lab.clientThatHasAsked(said))) {
                lab.problem();
                lab.serve(lab.anywhere(large(LARGE)).idleTimeout(Pulse.TIMEOUT));
            }
            assertEquals(0, lab.server().statistics().closedUnread());
        }
        lab.assertNoProblem();
    }

    /** False: the machine was so busy that this was idle. */
    private static boolean isReadSlowly(Client client) throws Exception {
        Pulse pulse = new Pulse();
        ByteBuffer some = ByteBuffer.allocateDirect(LARGE / 500);
        try {
            for (int left = LARGE; left > 0;) {
                pulse.beat();
                int read = client.channel.read(some.clear().limit(Math.min(some.capacity(), left)));
                assertTrue(read > 0, "the end came with bytes left: " + left);
                left -= read;
                TimeUnit.MILLISECONDS.sleep(8);
            }
            return true;
        } catch (IOException e) {
            if (!pulse.wasHeldUp()) {
                throw e;
            }
            return false;
        }
    }

    @EachMechanism
    void whoStopsReadingIsResetAndTheErrorHandlerTold(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(large(LARGE)).idleTimeout(SHORT));
        Client client = lab.clientThatHasAsked("?");
        lab.until(counts -> counts.open() == 0);
        assertWasCut(client, client.channel.getLocalAddress(), lab.problem());
        assertEquals(1, lab.server().statistics().closedUnread());
    }

    @EachMechanism
    void soIsWhoDoesSoWhileItIsClosed(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(large(LARGE)).idleTimeout(SHORT));
        Client client = lab.clientThatHasAsked("c");
        lab.until(counts -> counts.open() == 0);
        assertWasCut(client, client.channel.getLocalAddress(), lab.problem());
        assertEquals(1, lab.server().statistics().closedByHandler());
    }

    @EachMechanism
    void aServerThatIsClosedResetsWhatItHasNotSent(ServerLab lab) throws Exception {
        for (int deadline : new int[] {0, 50}) {
            lab.serve(lab.anywhere(large(LARGE)));
            Client client = lab.client();
            client.say("?");
            assertEquals(1000, client.hear(1000).length());
            lab.server().close(deadline, TimeUnit.MILLISECONDS);
            assertWasCut(client, client.channel.getLocalAddress(), lab.problem());
        }
    }

    @EachMechanism
    void aPeerThatResetsBeforeTheLastReplyWasSentIsAnError(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(large(LARGE)));
        Client client = lab.client();
        client.say("c");
        assertEquals(1000, client.hear(1000).length());
        client.reset();
        lab.until(counts -> counts.open() == 0);
        assertEquals(Place.CONNECTION, lab.problem().place());
        lab.assertNoProblem();
    }
}
