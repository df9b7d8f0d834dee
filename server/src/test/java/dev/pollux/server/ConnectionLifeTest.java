// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.pollux.lab.Job;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;

/** What a handler hears of the life of its connections. */
class ConnectionLifeTest {
    private static final Duration SHORT = Duration.ofMillis(80);
    private static final int LARGE = 20_000_000;

    private final Recorder recorder = new Recorder(ConnectionLifeTest::obey);

    /** Does what the first letter says; echoes another one. */
    private static void obey(ByteBuffer data, Exchange exchange) throws Exception {
        switch (ServerLab.letter(data)) {
            case 'c' -> exchange.close();
            case 'd' -> exchange.defer().sendAndClose(ServerLab.bytes("bye"));
            case 'h' -> exchange.handOver();
            case 'l' -> exchange.send(ByteBuffer.allocate(LARGE));
            case 'm' -> exchange.awaitMore();
            case 't' -> throw new IOException("on purpose");
            default -> ServerLab.echoConsumed(data, exchange);
        }
    }

    private StreamServerBuilder recording(ServerLab lab) {
        return lab.anywhere(() -> recorder).slowPath((channel, unread) -> channel.close(), Runnable::run);
    }

    private static ConnectionHandler greeting() {
        return new ConnectionHandler() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                ServerLab.echo(data, exchange);
            }

            @Override
            public void onOpen(Exchange exchange) {
                exchange.send(ServerLab.bytes("hello "));
            }
        };
    }

    @EachMechanism
    void acceptedAndAdoptedOnesBegin(ServerLab lab) throws Exception {
        lab.serve(ConnectionLifeTest::greeting);
        Client client = lab.client();
        client.assertHears("hello ");
        client.say("x");
        client.assertHears("x");
        ServerLab.Connection connection = lab.tcp();
        lab.server().adopt(connection.near(), ServerLab.bytes("first "));
        Client adopted = new Client(connection.far());
        adopted.say("second");
        adopted.assertHears("hello first second");
        lab.assertNoProblem();
    }

    /** Large ones go out in parts, or at once, before the round ends. */
    @EachMechanism
    void bytesAndRefusedSendsAreCounted(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder).maxPending(1));
        Client client = lab.client();
        for (int i = 0; i < 10; i++) {
            client.say("x");
            client.assertHears("x");
        }
        lab.until(counts -> counts.receivedBytes() == 10 && counts.sentBytes() == 10);
        client.say("l");
        client.hear(LARGE);
        lab.until(counts -> counts.receivedBytes() == 11 && counts.sentBytes() == 10 + LARGE);
        Connection connection = recorder.opened.take();
        assertTrue(connection.send(ByteBuffer.allocate(LARGE)));
        assertEquals(0, lab.server().statistics().refusedSends());
        while (connection.send(ByteBuffer.allocate(LARGE))) {
            // until the system takes no more
        }
        assertEquals(1, lab.server().statistics().refusedSends());
        lab.assertNoProblem();
    }

    /** Each request gets the number of those before it; the second one takes the handle. */
    @EachMechanism
    void whatIsAttachedGoesWithItsConnectionWithAHandleOrWithout(ServerLab lab) throws Exception {
        BlockingQueue<Object> left = new LinkedBlockingQueue<>();
        lab.serve(() -> new ConnectionHandler() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                ServerLab.skip(data);
                Integer before = (Integer) exchange.attachment();
                int count = before == null ? 0 : before + 1;
                assertSame(before, exchange.attach(count));
                if (count > 0) {
                    assertEquals(count, exchange.connection().attachment());
                }
                exchange.send(ServerLab.bytes(String.valueOf(count)));
            }

            @Override
            public void onClose(Exchange exchange, CloseReason reason) {
                left.add(String.valueOf(exchange.attachment()) + exchange.connection().attachment());
            }
        });
        for (int round = 0; round < 3; round++) { // later ones have the places of those before
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                clients.add(lab.client());
            }
            for (int count = 0; count < 3; count++) {
                for (Client each : clients.subList(count * 5, clients.size())) {
                    each.say("?");
                    each.assertHears(String.valueOf(count));
                }
            }
            for (Client each : clients) {
                each.close();
            }
            Map<Object, Integer> ends = new HashMap<>();
            for (int i = 0; i < clients.size(); i++) {
                ends.merge(left.take(), 1, Integer::sum);
            }
            assertEquals(Map.of("00", 5, "11", 5, "22", 10), ends);
        }
        lab.assertNoProblem();
    }

    /** The handler is held up until others have connected and asked: one round has both. */
    @EachMechanism
    void aGreetingComesBeforeLargeReplies(ServerLab lab) throws Exception {
        Semaphore goesOn = new Semaphore(0);
        ByteBuffer large = ByteBuffer.allocateDirect(100_000);
        lab.serve(() -> new ConnectionHandler() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) throws Exception {
                if (ServerLab.letter(data) == 'w') {
                    goesOn.acquire();
                }
                exchange.send(large);
            }

            @Override
            public void onOpen(Exchange exchange) {
                exchange.send(ServerLab.bytes("hello"));
            }
        });
        Client waiting = lab.client();
        waiting.assertHears("hello");
        for (int round = 0; round < 10; round++) {
            waiting.say("w");
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(lab.client());
                clients.get(i).say("??");
            }
            goesOn.release();
            for (Client each : clients) {
                each.assertHears("hello");
                assertEquals(200_000, each.hear(200_000).replaceAll("[^\0]", "").length());
            }
            waiting.hear(100_000);
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void theEndClosesUnlessItIsOverridden(ServerLab lab) throws Exception {
        BlockingQueue<Connection> ended = new LinkedBlockingQueue<>();
        Recorder halfOpen = new Recorder(ServerLab::echo) {
            @Override
            public void onEnd(Exchange exchange) {
                exchange.send(ServerLab.bytes("the "));
                ended.add(exchange.connection());
            }
        };
        lab.serve(() -> recorder);
        Client client = lab.client();
        client.say("x");
        client.channel.shutdownOutput();
        assertEquals("x", client.hear(2));
        assertEquals(CloseReason.PEER, recorder.reasons.take());
        lab.serve(() -> halfOpen);
        Client half = lab.client();
        half.say("x");
        half.channel.shutdownOutput();
        half.assertHears("xthe ");
        Connection connection = ended.take();
        assertTrue(connection.isOpen());
        assertTrue(connection.send(ServerLab.bytes("rest")));
        half.assertHears("rest");
        connection.close();
        assertEquals("", half.hear(1));
        assertEquals(CloseReason.CLOSED, halfOpen.reasons.take());
        assertTrue(ended.isEmpty());
        lab.assertNoProblem();
    }

    private void assertEndsOnce(ServerLab lab, CloseReason reason) throws Exception {
        assertEquals(reason, recorder.reasons.take());
        lab.until(counts -> counts.open() == 0);
        assertTrue(recorder.reasons.isEmpty());
    }

    @EachMechanism
    void eachReasonIsHeardOnce(ServerLab lab) throws Exception {
        lab.serve(recording(lab).maxRequest(1000));
        lab.client().close();
        assertEndsOnce(lab, CloseReason.PEER);
        for (String said : List.of("c", "d")) {
            lab.client().say(said);
            assertEndsOnce(lab, CloseReason.CLOSED);
        }
        recorder.opened.clear();
        lab.client();
        recorder.opened.take().close();
        assertEndsOnce(lab, CloseReason.CLOSED);
        lab.client().say("m".repeat(1001));
        assertEndsOnce(lab, CloseReason.TOO_LONG);
        lab.client().say("t");
        assertEndsOnce(lab, CloseReason.THROWN);
        lab.client().say("h");
        assertEndsOnce(lab, CloseReason.HANDED_OVER);
        Client client = lab.client();
        client.say("x");
        client.assertHears("x");
        client.say("m"); // an incomplete request
        client.reset();
        assertEndsOnce(lab, CloseReason.FAILED);
        lab.client();
        lab.until(counts -> counts.open() == 1);
        lab.server().close();
        assertEndsOnce(lab, CloseReason.SERVER);
    }

    @EachMechanism
    void timeoutsAreHeardOnce(ServerLab lab) throws Exception {
        lab.serve(recording(lab).idleTimeout(SHORT));
        lab.client();
        assertEndsOnce(lab, CloseReason.IDLE);
        lab.serve(recording(lab).idleTimeout(SHORT));
        lab.clientThatHasAsked("l");
        lab.until(counts -> counts.open() == 0);
        assertEquals(1, lab.server().statistics().closedUnread());
        while (recorder.reasons.take() != CloseReason.UNREAD) {
            // those that were idle before they had asked
        }
    }

    /** Throws in the call that the letter says. */
    private static final class Thrower implements ConnectionHandler {
        private final char where;
        private final BlockingQueue<CloseReason> reasons;
        private boolean isCareful;

        Thrower(char where, BlockingQueue<CloseReason> reasons) {
            this.where = where;
            this.reasons = reasons;
        }

        private void check(char here) throws IOException {
            if (here == where && !isCareful) {
                isCareful = true;
                throw new IOException(String.valueOf(where));
            }
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) throws Exception {
            if (data.get(0) == 'w') {
                while (exchange.connection().send(ByteBuffer.allocate(100_000))) {
                    // until it is refused
                }
            }
            ServerLab.echo(data, exchange);
            check('d');
        }

        @Override
        public void onOpen(Exchange exchange) throws Exception {
            check('o');
        }

        @Override
        public void onEnd(Exchange exchange) throws Exception {
            check('e');
            exchange.close();
        }

        @Override
        public void onWritable(Connection connection) throws Exception {
            check('w');
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) throws Exception {
            reasons.add(reason);
            check('c');
        }
    }

    @Tag("load")
    @EachMechanism
    void whatEachCallThrowsIsToldAndTheOthersGoOn(ServerLab lab) throws Exception {
        for (char where : "odewc".toCharArray()) {
            BlockingQueue<CloseReason> reasons = new LinkedBlockingQueue<>();
            lab.serve(() -> new Thrower(where, reasons));
            Client client = lab.client();
            if (where != 'o') {
                client.say(String.valueOf(where));
            }
            if (where == 'e' || where == 'c') {
                client.channel.shutdownOutput();
            }
            client.hearUntilTheEnd();
            Problem problem = lab.problem();
            assertEquals(Place.HANDLER, problem.place());
            assertEquals(String.valueOf(where), problem.error().getMessage());
            assertEquals(where == 'c' ? CloseReason.PEER : CloseReason.THROWN, reasons.take());
            lab.until(counts -> counts.open() == 0);
            Client other = lab.client();
            other.say("x");
            other.assertHears("x");
            assertTrue(reasons.isEmpty());
        }
        lab.assertNoProblem();
    }

    /** The requests behind it could not wait: there is none. */
    @EachMechanism
    void onlyTheReplyToARequestIsDeferred(ServerLab lab) throws Exception {
        lab.serve(() -> new Recorder(ServerLab::echo) {
            @Override
            public void onOpen(Exchange exchange) {
                exchange.defer();
            }
        });
        lab.client().assertIsClosed();
        Problem problem = lab.problem();
        assertEquals(Place.HANDLER, problem.place());
        assertInstanceOf(IllegalStateException.class, problem.error());
    }

    @EachMechanism
    void whenTheServerIsClosedAllHearOfIt(ServerLab lab) throws Exception {
        lab.serve(() -> recorder);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(lab.client());
        }
        for (int i = 0; i < clients.size(); i++) {
            recorder.opened.take().send(ByteBuffer.allocate(i % 2 == 0 ? 1_000_000 : 0));
        }
        lab.server().close();
        assertEquals(20, recorder.reasons.size());
        recorder.reasons.forEach(reason -> assertSame(CloseReason.SERVER, reason));
    }

    @EachMechanism
    void whatIsThrownWhileTheServerIsClosedIsTold(ServerLab lab) throws Exception {
        lab.serve(() -> new Thrower('c', recorder.reasons));
        Client client = lab.client();
        client.say("x");
        client.assertHears("x");
        lab.server().close();
        assertEquals(CloseReason.SERVER, recorder.reasons.take());
        Problem problem = lab.problem();
        assertEquals(Place.HANDLER, problem.place());
        assertEquals("c", problem.error().getMessage());
    }

    @EachMechanism
    void aGracefulCloseSendsWhatWasAccepted(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        connection.send(ByteBuffer.allocate(LARGE));
        Job<Boolean> closing = lab.start(() -> {
            server.close(20, TimeUnit.SECONDS);
            return true;
        });
        assertEquals(LARGE, client.hear(LARGE + 1).length());
        assertTrue(closing.result());
        assertEquals(List.of(CloseReason.SERVER), List.copyOf(recorder.reasons));
        lab.assertNoProblem();
    }

    @EachMechanism
    void aConnectionThatIsNotHeldMakesNoGarbage(ServerLab lab) throws Exception {
        assertNoGarbage(lab, options -> options);
        assertNoGarbage(lab, options -> options.idleTimeout(Duration.ofMinutes(1)));
    }

    /** What the loop's thread allocates for connections that come and go, once its code is compiled. */
    private static void assertNoGarbage(ServerLab lab, UnaryOperator<StreamServerBuilder> options) throws Exception {
        BlockingQueue<Thread> loop = new LinkedBlockingQueue<>(1);
        lab.serve(options.apply(lab.anywhere(() -> (data, exchange) -> {
            loop.offer(Thread.currentThread());
            ServerLab.echo(data, exchange);
        })));
        ThreadMXBean meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long end = System.nanoTime() + ServerLab.PATIENCE;
        long bytes;
        do {
            comeAndGo(lab);
            long before = meter.getThreadAllocatedBytes(loop.peek().getId());
            for (int i = 0; i < 300; i++) {
                comeAndGo(lab);
            }
            bytes = meter.getThreadAllocatedBytes(loop.peek().getId()) - before;
        } while (bytes >= 300 && System.nanoTime() < end);
        assertTrue(bytes < 300, "bytes for 300 connections: " + bytes);
    }

    private static void comeAndGo(ServerLab lab) throws IOException {
        try (Client client = new Client(SocketChannel.open(lab.server().address()))) {
            client.say("x");
            client.assertHears("x");
        }
    }

    /** Echoes; 'p' pauses a connection, 'r' resumes it, 'w' waits until the other ones have said something. */
    private static final class Pausing extends Recorder {
        final Semaphore waits = new Semaphore(0);
        final Semaphore goesOn = new Semaphore(0);
        final BlockingQueue<Connection> ended = new LinkedBlockingQueue<>();
        volatile Connection other;

        Pausing() {
            super(ServerLab::echo);
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) throws Exception {
            switch (data.get(0)) {
                case 'p' -> other.pause();
                case 'r' -> other.resume();
                case 'w' -> {
                    waits.release();
                    goesOn.acquire();
                }
                default -> { }
            }
            super.onData(data, exchange);
        }

        @Override
        public void onEnd(Exchange exchange) {
            ended.add(exchange.connection());
            exchange.close();
        }
    }

    /** One round has both, the other connection's request first. */
    @EachMechanism
    void aPausedConnectionHearsOfItsEndWhenItIsResumed(ServerLab lab) throws Exception {
        Pausing handler = new Pausing();
        lab.serve(() -> handler);
        Client waiting = lab.client();
        handler.opened.take();
        Client pausing = lab.client();
        handler.opened.take();
        for (String said : List.of("p", "pr")) {
            Client client = lab.client();
            handler.other = handler.opened.take();
            waiting.say("w");
            handler.waits.acquire();
            pausing.say(said.substring(0, 1));
            client.channel.shutdownOutput();
            handler.goesOn.release();
            waiting.assertHears("w");
            pausing.assertHears("p");
            for (int i = 0; i < 3; i++) {
                pausing.say("x");
                pausing.assertHears("x");
            }
            assertEquals(null, handler.ended.peek());
            if (said.endsWith("r")) {
                pausing.say("r");
            } else {
                handler.other.resume();
            }
            assertSame(handler.other, handler.ended.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
            client.assertIsClosed();
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void theEndBehindTheDataOfACallThatPausesWaitsToo(ServerLab lab) throws Exception {
        Pausing handler = new Pausing();
        lab.serve(() -> handler);
        Client other = lab.client();
        handler.opened.take();
        for (int i = 0; i < 10; i++) {
            Client client = lab.client();
            handler.other = handler.opened.take();
            client.say("p");
            client.channel.shutdownOutput();
            client.assertHears("p");
            for (int round = 0; round < 3; round++) {
                other.say("x");
                other.assertHears("x");
            }
            assertEquals(null, handler.ended.peek());
            handler.other.resume();
            assertSame(handler.other, handler.ended.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
            client.assertIsClosed();
        }
        lab.assertNoProblem();
    }
}
