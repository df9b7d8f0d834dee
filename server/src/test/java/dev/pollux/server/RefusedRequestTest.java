// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A request that is refused may have a reply, which the other side gets though it has sent more than was read. */
class RefusedRequestTest {
    private static final Duration SHORT = Duration.ofMillis(80);

    /** More than the system keeps for a socket. */
    private static final String MUCH = "x".repeat(20_000_000);

    /** Takes nothing, and says why it refuses: in a large reply if it is to be so. */
    private static final class Refusing extends Recorder {
        private final boolean hasHandle;
        private final int length;

        Refusing(boolean hasHandle, int length) {
            super((data, exchange) -> exchange.awaitMore());
            this.hasHandle = hasHandle;
            this.length = length;
        }

        @Override
        public void onOpen(Exchange exchange) throws Exception {
            if (hasHandle) {
                super.onOpen(exchange);
            }
        }

        @Override
        public void onRefused(Exchange exchange, CloseReason reason) {
            exchange.send(ServerLab.bytes(reason + " "));
            exchange.send(ByteBuffer.allocate(length));
        }
    }

    @EachMechanism
    void itsReplyArrivesThoughMoreWasSentThanIsRead(ServerLab lab) throws Exception {
        for (int length : new int[] {0, 3_000_000}) {
            for (boolean hasHandle : new boolean[] {false, true}) {
                Refusing handler = new Refusing(hasHandle, length);
                lab.serve(lab.anywhere(() -> handler).maxRequest(1000));
                Client client = lab.client();
                client.say(MUCH);
                client.assertHears("TOO_LONG ");
                assertEquals(length, client.hear(length + 1).length());
                client.close();
                assertEquals(CloseReason.TOO_LONG, handler.reasons.take());
                lab.until(counts -> counts.closedTooLong() == 1 && counts.open() == 0);
                assertEquals(Place.CONNECTION, lab.problem().place());
            }
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void soItDoesByTls(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            Refusing handler = new Refusing(false, 0);
            lab.serve(lab.anywhere(() -> handler).maxRequest(1000).tls(TlsLab.context(true)));
            TlsClient client = TlsClient.of(lab, protocol);
            client.say(MUCH.substring(0, 2_000_000));
            client.assertHears("TOO_LONG ");
            client.assertIsAtEnd();
            client.close();
            assertEquals(CloseReason.TOO_LONG, handler.reasons.take());
            assertEquals(Place.CONNECTION, lab.problem().place());
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void whoIsTooSlowGetsOneToo(ServerLab lab) throws Exception {
        Refusing handler = new Refusing(false, 0);
        lab.serve(lab.anywhere(() -> handler).timeout(Phase.REQUEST, SHORT));
        Client client = lab.client();
        client.say("x");
        client.assertHears("TOO_SLOW ");
        client.say("x");
        assertEquals("", client.hear(1));
        client.close();
        assertEquals(CloseReason.TOO_SLOW, handler.reasons.take());
        lab.assertNoProblem();
    }

    /** It keeps its end open, and goes on sending. */
    @EachMechanism
    void whoNeverEndsIsClosedAllTheSame(ServerLab lab) throws Exception {
        Refusing handler = new Refusing(false, 0);
        lab.serve(lab.anywhere(() -> handler).maxRequest(1000));
        Client client = lab.client();
        client.say(MUCH);
        client.assertHears("TOO_LONG ");
        assertEquals("", client.hear(1));
        assertEquals(CloseReason.TOO_LONG, handler.reasons.take());
        lab.until(counts -> counts.open() == 0);
    }

    /** What it throws concerns its connection alone. */
    @EachMechanism
    void whatTheRefusalThrowsIsTold(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> new Recorder((data, exchange) -> exchange.awaitMore()) {
            @Override
            public void onRefused(Exchange exchange, CloseReason reason) {
                throw new IllegalStateException("on purpose");
            }
        }).timeout(Phase.REQUEST, SHORT));
        Client client = lab.client();
        client.say("x");
        client.assertIsClosed();
        assertEquals(Place.HANDLER, lab.problem().place());
        lab.until(counts -> counts.closedThrown() == 1 && counts.open() == 0);
    }
}
