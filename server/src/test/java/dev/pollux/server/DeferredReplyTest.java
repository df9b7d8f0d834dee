// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import dev.pollux.server.ServerLab.Client;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Replies that are given later. */
class DeferredReplyTest {
    private final BlockingQueue<Reply> deferred = new LinkedBlockingQueue<>();

    /** Defers the reply to "d", answers another letter at once. */
    private void handle(ByteBuffer data, Exchange exchange) {
        char letter = ServerLab.letter(data);
        if (letter == 'd') {
            deferred.add(exchange.defer());
        } else {
            exchange.send(ServerLab.bytes("<" + letter + ">"));
        }
    }

    @EachMechanism
    void requestsBehindItWait(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client client = lab.client();
        for (int i = 0; i < 50; i++) {
            client.say("adb");
            client.assertHears("<a>");
            deferred.take().send(ServerLab.bytes("late"));
            client.assertHears("late<b>");
        }
        assertEquals(50, lab.server().statistics().deferred());
    }

    @EachMechanism
    void oneThatIsGivenAtOnceFollowsTheReplyBeforeIt(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            char letter = ServerLab.letter(data);
            if (letter == 'd') {
                exchange.defer().send(ServerLab.bytes("<d>"));
            } else {
                exchange.send(ServerLab.bytes("<" + letter + ">"));
            }
        });
        Client client = lab.client();
        for (int i = 0; i < 20; i++) {
            client.say("ad");
            client.assertHears("<a><d>");
        }
    }

    @EachMechanism
    void itMayHaveAHeadAndABodyThatIsResident(ServerLab lab) throws Exception {
        ByteBuffer body = lab.serve(() -> this::handle).resident(ServerLab.bytes("a body"));
        Client client = lab.client();
        for (int i = 0; i < 20; i++) {
            client.say("db");
            deferred.take().send(ServerLab.bytes("a head and "), body);
            client.assertHears("a head and a body<b>");
        }
    }

    @EachMechanism
    void otherConnectionsDoNotWait(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client waiting = lab.client();
        Client other = lab.client();
        waiting.say("d");
        Reply reply = deferred.take();
        other.say("xyz");
        other.assertHears("<x><y><z>");
        reply.send(ServerLab.bytes("late"));
        waiting.assertHears("late");
    }

    @EachMechanism
    void whatComesMeanwhileIsHandledAfterwards(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client client = lab.client();
        client.say("d");
        Reply reply = deferred.take();
        StringBuilder expected = new StringBuilder("late");
        for (char letter = 'A'; letter <= 'Z'; letter++) {
            client.say(String.valueOf(letter));
            expected.append('<').append(letter).append('>');
        }
        reply.send(ServerLab.bytes("late"));
        client.assertHears(expected.toString());
    }

    @EachMechanism
    void itIsGivenOnce(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client client = lab.client();
        client.say("d");
        Reply reply = deferred.take();
        reply.send(ServerLab.bytes("1"));
        assertThrows(IllegalStateException.class, () -> reply.send(ServerLab.bytes("2")));
        assertThrows(IllegalStateException.class, () -> reply.sendAndClose(ServerLab.bytes("3")));
        client.say("a");
        client.assertHears("1<a>");
    }

    @EachMechanism
    void itMayCloseTheConnection(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client client = lab.client();
        client.say("d");
        deferred.take().sendAndClose(ServerLab.bytes("bye"));
        assertEquals("bye", client.hear(4));
        lab.until(counts -> counts.closedByHandler() == 1 && counts.open() == 0);
    }

    @EachMechanism
    void whoClosesAndDefersClosesBehindTheReply(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            boolean closesFirst = ServerLab.letter(data) == 'c';
            if (closesFirst) {
                exchange.close();
            }
            deferred.add(exchange.defer());
            if (!closesFirst) {
                exchange.close();
            }
        });
        for (String said : List.of("c", "d")) {
            Client client = lab.client();
            client.say(said);
            deferred.take().send(ServerLab.bytes("bye"));
            assertEquals("bye", client.hear(4));
        }
        lab.until(counts -> counts.closedByHandler() == 2 && counts.open() == 0);
    }

    @EachMechanism
    void oneThatCannotBeSentHarmsItsConnectionOnly(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client other = lab.client();
        other.say("a");
        other.assertHears("<a>");
        ByteBuffer changes = ByteBuffer.allocate(8 << 20);
        AtomicBoolean goesOn = new AtomicBoolean(true);
        Job<Boolean> meddler = lab.start(() -> {
            while (goesOn.get()) {
                changes.limit(changes.capacity() / 2);
                Thread.yield(); // or the compiler makes one of both
                changes.limit(changes.capacity());
                Thread.yield();
            }
            return true;
        });
        for (int i = 0; i < 20; i++) {
            Client client = lab.client();
            client.say("d");
            Reply reply = deferred.take();
            assertThrows(NullPointerException.class, () -> reply.send(null));
            reply.send(changes);
            other.say("a");
            other.assertHears("<a>");
        }
        goesOn.set(false);
        assertTrue(meddler.result());
    }

    @EachMechanism
    void itIsDroppedWhenTheConnectionHasGone(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        for (int i = 0; i < 20; i++) {
            Client gone = lab.client();
            gone.say("d");
            Reply reply = deferred.take();
            gone.reset();
            if (i % 2 == 0) {
                lab.until(counts -> counts.open() == 0);
            }
            Client next = lab.client(); // may get the place of the one that has gone
            next.say("a");
            next.assertHears("<a>");
            reply.send(ServerLab.bytes("for one that has gone"));
            next.say("b");
            next.assertHears("<b>");
            next.close();
            lab.until(counts -> counts.open() == 0);
        }
    }

    @EachMechanism
    void aPeerThatHasShutDownItsSideGetsItAllTheSame(ServerLab lab) throws Exception {
        lab.serve(() -> this::handle);
        Client client = lab.client();
        client.say("ad");
        client.channel.shutdownOutput();
        client.assertHears("<a>");
        deferred.take().send(ServerLab.bytes("late"));
        assertEquals("late", client.hear(5));
        lab.until(counts -> counts.closedByPeer() == 1);
    }

    @EachMechanism
    void severalThreadsGiveReplies(ServerLab lab) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        lab.opened(threads::shutdownNow);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            char letter = ServerLab.letter(data);
            Reply reply = exchange.defer();
            threads.execute(() -> reply.send(ServerLab.bytes(String.valueOf(letter).repeat(3))));
        }).loops(2));
        List<Job<Boolean>> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Client client = lab.client();
            clients.add(lab.start(() -> {
                for (int round = 0; round < 500; round++) {
                    client.say("abc");
                    client.assertHears("aaabbbccc");
                }
                return true;
            }));
        }
        for (Job<Boolean> client : clients) {
            assertTrue(client.result());
        }
        assertEquals(8 * 500 * 3, lab.server().statistics().deferred());
    }

    @EachMechanism
    void whatTheCallSendsItselfComesBeforeIt(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            exchange.send(ServerLab.bytes("first "));
            deferred.add(exchange.defer());
            exchange.send(ServerLab.bytes("second "));
            ServerLab.letter(data);
        });
        Client client = lab.client();
        client.say("dd");
        for (int i = 0; i < 2; i++) {
            client.assertHears("first second ");
            deferred.take().send(ServerLab.bytes("late "));
            client.assertHears("late ");
        }
        lab.until(counts -> counts.deferred() == 2 && counts.requests() == 2);
        lab.assertNoProblem();
    }

    @EachMechanism
    void deferringTwiceIsDeferringOnce(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            deferred.add(exchange.defer());
            deferred.add(exchange.defer());
            ServerLab.letter(data);
        });
        Client client = lab.client();
        client.say("dd");
        for (int i = 0; i < 2; i++) {
            Reply reply = deferred.take();
            assertSame(reply, deferred.take());
            reply.send(ServerLab.bytes("late"));
            client.assertHears("late");
        }
        assertEquals(2, lab.server().statistics().deferred());
        lab.assertNoProblem();
    }

    @EachMechanism
    void whoDefersAndConsumesNothingGetsTheSameBytesAgain(ServerLab lab) throws Exception {
        AtomicBoolean hasDeferred = new AtomicBoolean();
        lab.serve(() -> (data, exchange) -> {
            if (hasDeferred.compareAndSet(false, true)) {
                deferred.add(exchange.defer());
            } else {
                ServerLab.echo(data, exchange);
            }
        });
        Client client = lab.client();
        client.say("again");
        deferred.take().send(ServerLab.bytes("late "));
        client.assertHears("late again");
        lab.assertNoProblem();
    }
}
