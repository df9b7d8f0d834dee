// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.lab.Fakes;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A user tests handlers with connections and replies of the user's own: no server runs. */
class FakesTest {
    private final Fakes fakes = new Fakes();

    @Test
    void aConnectionHandlerIsGivenAnExchangeAndDefersItsReply() throws Exception {
        ConnectionHandler handler = (data, exchange) -> {
            data.position(data.limit());
            exchange.defer().send(ByteBuffer.allocate(1));
        };
        Reply reply = fakes.fake(Reply.class, null);
        ByteBuffer request = ByteBuffer.allocate(3);
        handler.onData(request, fakes.fake(Exchange.class, reply));
        assertFalse(request.hasRemaining());
        assertEquals(List.of("defer", "send"), fakes.calls());
    }

    @Test
    void aConnectionHandlerKeepsTheConnectionOfAnExchange() throws Exception {
        ConnectionHandler handler = new ConnectionHandler() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
            }

            @Override
            public void onOpen(Exchange exchange) {
                exchange.connection().attach("session");
            }
        };
        Exchange exchange = fakes.fake(Exchange.class, fakes.fake(Connection.class, null));
        handler.onOpen(exchange);
        handler.onEnd(exchange);
        assertEquals(List.of("connection", "attach", "close"), fakes.calls());
    }
}
