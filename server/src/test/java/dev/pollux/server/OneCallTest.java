// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;

/** What a handler sends in one call: very often, very much, or too late. */
class OneCallTest {
    /** More than a round has orders. */
    private static final int OFTEN = 300_000;

    private static final ByteBuffer ON_HEAP = ServerLab.bytes("ab");

    /** Sends of all kinds in turn: copies, resident bytes, and parts of the data. */
    private static void sendOften(ByteBuffer data, Exchange exchange, ByteBuffer page) {
        for (int i = 0; i < OFTEN; i++) {
            switch (i % 3) {
                case 0 -> exchange.send(ON_HEAP);
                case 1 -> exchange.send(page);
                default -> exchange.send(data.slice(0, 1));
            }
        }
        ServerLab.skip(data);
    }

    private static void assertHearsAll(InputStream in) throws IOException {
        byte[] bytes = new DataInputStream(in).readNBytes(OFTEN / 3 * "abpage?".length());
        assertEquals("abpage?".repeat(OFTEN / 3), new String(bytes, StandardCharsets.US_ASCII));
    }

    @EachMechanism
    void itMaySendAsOftenAsItLikes(ServerLab lab) throws Exception {
        ByteBuffer[] page = new ByteBuffer[1];
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(0) == 'h') {
                exchange.connection();
                ServerLab.skip(data);
            } else {
                sendOften(data, exchange, page[0]);
            }
        }).maxConnections(5));
        page[0] = lab.server().resident(ServerLab.bytes("page"));
        Client other = lab.client();
        for (String before : new String[] {"", "h"}) {
            Client client = lab.client();
            long asked = lab.server().statistics().requests() + before.length();
            client.say(before);
            lab.until(counts -> counts.requests() == asked);
            for (int i = 0; i < 2; i++) {
                long requests = lab.server().statistics().requests();
                client.say("?");
                assertHearsAll(Channels.newInputStream(client.channel));
                lab.until(counts -> counts.requests() == requests + 1);
            }
        }
        other.say("h");
        lab.until(counts -> counts.requests() == 6);
        lab.assertNoProblem();
    }

    @EachMechanism
    @Tag("load")
    void soItMayByTls(ServerLab lab) throws Exception {
        ByteBuffer[] page = new ByteBuffer[1];
        lab.serve(lab.anywhere(() -> (data, exchange) -> sendOften(data, exchange, page[0]))
                .maxConnections(5).tls(TlsLab.context(true)));
        page[0] = lab.server().resident(ServerLab.bytes("page"));
        TlsClient client = TlsClient.of(lab, "TLSv1.3");
        client.socket.getOutputStream().write('?');
        assertHearsAll(client.socket.getInputStream());
        lab.assertNoProblem();
    }

    @EachMechanism
    void soItMayWhenAConnectionBegins(ServerLab lab) throws Exception {
        ByteBuffer[] page = {ServerLab.bytes("page")};
        lab.serve(lab.anywhere(() -> new Recorder(ServerLab::echo) {
            @Override
            public void onOpen(Exchange exchange) {
                sendOften(ServerLab.bytes("?"), exchange, page[0]);
            }
        }).maxConnections(5));
        assertHearsAll(Channels.newInputStream(lab.client().channel));
        lab.assertNoProblem();
    }

    /** The limit is that of the C library. */
    @EachMechanism
    void moreThanMayWaitIsRefused(ServerLab lab) throws Exception {
        ByteBuffer[] page = new ByteBuffer[1];
        lab.serve(() -> (data, exchange) -> {
            ServerLab.skip(data);
            for (int i = 0; i < 3000; i++) {
                exchange.send(page[0]);
            }
        });
        page[0] = lab.server().resident(ByteBuffer.allocate(1 << 20));
        Client client = lab.client();
        client.say("?");
        Problem problem = lab.problem();
        assertEquals(Place.HANDLER, problem.place());
        assertTrue(problem.error().getMessage().contains("more than 2 GiB"), problem.toString());
        assertEquals(client.channel.getLocalAddress(), problem.peer());
    }

    @EachMechanism
    void whatItSendsAfterItHasEndedTheOutputIsRefused(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            Connection connection = exchange.connection();
            exchange.send(ServerLab.bytes("sent"));
            if (ServerLab.letter(data) == 'c') {
                connection.close();
            } else {
                connection.shutdownOutput();
            }
            assertFalse(connection.send(ServerLab.bytes("too late")));
            exchange.send(ServerLab.bytes("too late"));
        }));
        for (String said : new String[] {"c", "s"}) {
            Client client = lab.client();
            client.say(said);
            Problem problem = lab.problem();
            assertEquals(Place.HANDLER, problem.place());
            assertInstanceOf(IllegalStateException.class, problem.error());
            client.assertIsClosedAfter("sent");
        }
    }
}
