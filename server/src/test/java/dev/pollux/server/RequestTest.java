// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Garbage;
import dev.pollux.server.ServerLab.Client;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** What a ConnectionHandler is given and what it may answer. */
class RequestTest {

    @EachMechanism
    void dataItselfIsAnEcho(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> ServerLab::echo);
        assertEquals(lab.mechanism(), server.mechanism());
        assertTrue(server.toString().contains(lab.mechanism()), server.toString());
        Client client = lab.client();
        client.say("what I say");
        client.assertHears("what I say");
    }

    @EachMechanism
    void dataMayBeChangedInPlace(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            data.put(0, (byte) '!').position(2);
            ServerLab.echoConsumed(data, exchange);
        });
        Client client = lab.client();
        client.say("a1b2c3");
        client.assertHears("!1!2!3");
    }

    @EachMechanism
    void pipelinedRequestsAreAnsweredInOrder(ServerLab lab) throws Exception {
        lab.serve(() -> {
            ByteBuffer reply = ServerLab.bytes("<.>");
            return (data, exchange) -> exchange.send(reply.put(1, (byte) ServerLab.letter(data)));
        });
        Client client = lab.client();
        client.say("abc");
        client.assertHears("<a><b><c>");
    }

    @EachMechanism
    void manyMorePipelinedRequestsThanABatchMayHoldAreAnswered(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> ServerLab.echoConsumed(data.position(1), exchange));
        Client client = lab.client();
        String many = "0123456789".repeat(6000);
        for (int i = 0; i < 5; i++) {
            client.say(many);
            client.assertHears(many);
        }
        lab.until(counts -> counts.requests() == 5L * many.length());
    }

    @EachMechanism
    void whatAHandlerSendsIsLeftAsItIs(ServerLab lab) throws Exception {
        ByteBuffer reply = ServerLab.bytes("[page]").position(1).limit(5);
        lab.serve(() -> (data, exchange) -> {
            ServerLab.letter(data);
            exchange.send(reply);
        });
        Client client = lab.client();
        client.say("???");
        client.assertHears("pagepagepage");
        assertEquals("page", ServerLab.text(reply.duplicate()));
    }

    @EachMechanism
    void directAndReadOnlyRepliesAreCopied(ServerLab lab) throws Exception {
        ByteBuffer direct = ByteBuffer.allocateDirect(10).put(ServerLab.bytes("direct")).flip().asReadOnlyBuffer();
        lab.serve(() -> (data, exchange) -> {
            ServerLab.letter(data);
            exchange.send(direct);
        });
        Client client = lab.client();
        client.say("??");
        client.assertHears("directdirect");
    }

    @EachMechanism
    void residentRepliesAreSent(ServerLab lab) throws Exception {
        List<ByteBuffer> pages = new ArrayList<>();
        StreamServer server = lab.serve(() -> (data, exchange) ->
                exchange.send(pages.get(ServerLab.letter(data) - '0')));
        pages.add(server.resident(ServerLab.bytes("a page")));
        pages.add(server.resident(ByteBuffer.wrap(new byte[3_000_000])));
        pages.add(server.resident(ServerLab.bytes("")));
        Client client = lab.client();
        for (int i = 0; i < 3; i++) {
            client.say("012");
            client.assertHears("a page");
            assertEquals(3_000_000, client.hear(3_000_000).length());
        }
        assertTrue(pages.get(0).isReadOnly());
    }

    @EachMechanism
    void theFirstRequestFindsTheServer(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> new ConnectionHandler() {
            private ByteBuffer page;

            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                ServerLab.letter(data);
                if (page == null) {
                    page = exchange.server().resident(ServerLab.bytes("at " + exchange.server().address()));
                }
                exchange.send(page);
            }
        });
        Client client = lab.client();
        client.say("??");
        client.assertHears(("at " + server.address()).repeat(2));
    }

    @EachMechanism
    void aReplyMayBeLargerThanAnyBuffer(ServerLab lab) throws Exception {
        String large = "0123456789".repeat(500_000);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.skip(data);
            exchange.send(ServerLab.bytes(large));
        }).maxPending(large.length()));
        Client client = lab.client();
        client.say("?");
        client.assertHears(large);
    }

    @EachMechanism
    void anIncompleteRequestComesAgainWithMore(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            if (data.get(data.limit() - 1) == '.') {
                ServerLab.echo(data, exchange);
            } else {
                data.get();
                exchange.awaitMore(); // wherever its position is
            }
        });
        Client client = lab.client();
        for (String part : "one two three.".split("")) {
            client.say(part);
            Thread.sleep(1);
        }
        client.assertHears("one two three.");
        lab.until(counts -> counts.requests() == 1 && counts.incomplete() > 0);
    }

    @EachMechanism
    void completeRequestsBeforeAnIncompleteOneAreAnswered(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            if (data.remaining() >= 4) {
                ServerLab.echoConsumed(data.position(4), exchange);
            }
        });
        Client client = lab.client();
        String text = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn";
        Random random = new Random(1);
        for (int at = 0; at < text.length();) {
            int next = Math.min(text.length(), at + 1 + random.nextInt(9));
            client.say(text.substring(at, next));
            client.assertHears(text.substring(at / 4 * 4, next / 4 * 4));
            at = next;
        }
    }

    @EachMechanism
    void aRequestMayHaveNoReply(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            if (ServerLab.letter(data) == '+') {
                exchange.send(ServerLab.bytes("reply"));
            }
        });
        Client client = lab.client();
        client.say("--+-");
        client.assertHears("reply");
        lab.until(counts -> counts.requests() == 4);
    }

    @EachMechanism
    void theByteOrderIsBigEndianAtEachCall(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            ByteOrder order = data.order();
            data.order(ByteOrder.LITTLE_ENDIAN);
            ServerLab.letter(data);
            exchange.send(ServerLab.bytes(order.toString()));
        });
        Client client = lab.client();
        client.say("12");
        client.assertHears("BIG_ENDIANBIG_ENDIAN");
    }

    @EachMechanism
    void connectionsHaveNumbers(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            assertTrue((int) exchange.id() < 1025 && (int) exchange.id() >= 0);
            ServerLab.letter(data);
            exchange.send(ServerLab.bytes(String.format("%016x", exchange.id())));
        });
        Client one = lab.client();
        Client two = lab.client();
        one.say("1");
        two.say("2");
        String name = one.hear(16);
        assertFalse(name.equals(two.hear(16)));
        one.say("1");
        one.assertHears(name);
        lab.assertNoProblem();
    }

    @EachMechanism
    void aConnectionIsForTheThreadOfItsHandlerOnly(ServerLab lab) throws Exception {
        BlockingQueue<Exchange> kept = new LinkedBlockingQueue<>();
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        lab.serve(() -> (data, exchange) -> {
            kept.add(exchange);
            for (Runnable call : List.<Runnable>of(exchange::close, exchange::defer, exchange::id, exchange::awaitMore,
                    exchange::handOver, exchange::connection, () -> exchange.send(data))) {
                CompletableFuture.runAsync(call).handle((nothing, error) -> thrown.add(error.getCause())).join();
            }
            ServerLab.echo(data, exchange);
        });
        Client client = lab.client();
        client.say("x");
        client.assertHears("x");
        for (int i = 0; i < 7; i++) {
            assertInstanceOf(IllegalStateException.class, thrown.take());
        }
        Exchange late = kept.take();
        assertThrows(IllegalStateException.class, late::id);
        assertThrows(IllegalStateException.class, late::close);
        assertThrows(IllegalStateException.class, late::defer);
        client.say("y");
        client.assertHears("y");
    }

    @EachMechanism
    void thePapersFormIsAnAdapter(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> new ByteArrayHandler() {
            @Override
            protected byte[] handle(byte[] data) {
                if (data[0] == 's') {
                    return null;
                }
                data[0]++;
                return data;
            }
        }).slowPath((channel, unread) -> {
            channel.write(unread);
            channel.close();
        }, Runnable::run));
        Client client = lab.client();
        client.say("abc");
        client.assertHears("bbc");
        client.say("slow");
        client.assertHears("slow");
        client.assertIsClosed();
    }

    @EachMechanism
    void aRequestMakesNoGarbage(ServerLab lab) throws Exception {
        Thread[] loop = new Thread[1];
        ByteBuffer[] page = new ByteBuffer[1];
        ByteBuffer copied = ByteBuffer.allocate(100);
        StreamServer server = lab.serve(() -> (data, exchange) -> {
            loop[0] = Thread.currentThread();
            switch (ServerLab.letter(data)) {
                case 'e' -> ServerLab.echoConsumed(data, exchange);
                case 'r' -> exchange.send(page[0]);
                default -> exchange.send(copied);
            }
        });
        page[0] = server.resident(ServerLab.bytes("resident"));
        Client client = lab.client();
        client.say("e");
        client.assertHears("e");
        ByteBuffer requests = ByteBuffer.allocateDirect(3).put(ServerLab.bytes("erc")).flip();
        ByteBuffer replies = ByteBuffer.allocateDirect(1 + 8 + 100);
        Garbage.assertNone(() -> {
            client.channel.write(requests.rewind());
            for (replies.clear(); replies.hasRemaining();) {
                client.channel.read(replies);
            }
        }, loop[0]);
    }
}
