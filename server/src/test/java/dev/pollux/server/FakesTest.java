// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A user tests handlers with connections and replies of the user's own: no server runs. */
class FakesTest {
    /** What was called. */
    private final List<String> calls = new ArrayList<>();

    private <T> T fake(Class<T> type, Object result) {
        Class<?>[] types = {type};
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), types, (self, method, arguments) -> {
            calls.add(method.getName());
            return method.getReturnType().isInstance(result) ? result : null;
        }));
    }

    @Test
    void aConnectionHandlerIsGivenAnExchangeAndDefersItsReply() throws Exception {
        ConnectionHandler handler = (data, exchange) -> {
            data.position(data.limit());
            exchange.defer().send(ByteBuffer.allocate(1));
        };
        Reply reply = fake(Reply.class, null);
        ByteBuffer request = ByteBuffer.allocate(3);
        handler.onData(request, fake(Exchange.class, reply));
        assertFalse(request.hasRemaining());
        assertEquals(List.of("defer", "send"), calls);
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
        Exchange exchange = fake(Exchange.class, fake(Connection.class, null));
        handler.onOpen(exchange);
        handler.onEnd(exchange);
        assertEquals(List.of("connection", "attach", "close"), calls);
    }
}
