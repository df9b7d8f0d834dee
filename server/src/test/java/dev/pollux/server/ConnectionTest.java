// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What the holder of a connection can do with it: any thread, at any time. */
class ConnectionTest {
    private static final Executor THREADS = task -> new Thread(task).start();

    /** More than the system takes for a peer that does not read. */
    private static final int LARGE = 20_000_000;

    private static final int MAX_PENDING = 1 << 20;

    /** More than a round has room for. */
    private static final int FLOOD = 100_000;

    private static final int SENDERS = 6;
    private static final int MESSAGES = 1500;

    /** Whose message it is, which one, and its length. */
    private static final int HEAD = 9;

    private final Recorder recorder = new Recorder(ServerLab::echo);

    private static ByteBuffer body(int sender, int number, int length) {
        byte[] bytes = new byte[length];
        new Random(31L * number + sender).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer head(int sender, int number, int length) {
        return ByteBuffer.allocate(HEAD).put((byte) sender).putInt(number).putInt(length).flip();
    }

    private static ByteBuffer hear(Client client, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            assertTrue(client.channel.read(bytes) > 0, "the end came at " + bytes);
        }
        return bytes.flip();
    }

    /** Has the loop, which serves this client too, take what it was asked for before. */
    private static void pass(Client other) throws IOException {
        for (int i = 0; i < 3; i++) {
            other.say("pass");
            other.assertHears("pass");
        }
    }

    private static long sendAll(Connection connection, int sender) {
        Random random = new Random(sender);
        long bytes = 0;
        for (int number = 0; number < MESSAGES; number++) {
            int length = random.nextInt(number % 50 == 0 ? 100_000 : 300);
            ByteBuffer head = head(sender, number, length);
            ByteBuffer body = body(sender, number, length);
            while (!connection.send(head, number % 2 == 0 ? body : body.asReadOnlyBuffer())) {
                Thread.yield();
            }
            assertEquals(HEAD, head.remaining());
            assertEquals(length, body.remaining());
            bytes += HEAD + length;
        }
        return bytes;
    }

    @EachMechanism
    void whatACallSendsKeepsItsOrderWhicheverWayItIsSent(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            ServerLab.skip(data);
            exchange.send(ServerLab.bytes("1"));
            Connection connection = exchange.connection();
            connection.send(ServerLab.bytes("2"));
            exchange.send(ServerLab.bytes("3"));
            connection.send(ServerLab.bytes("4"));
            exchange.send(ServerLab.bytes("5\n"));
        });
        Client client = lab.client();
        for (int i = 0; i < 10; i++) {
            client.say("?");
            client.assertHears("12345\n");
        }
    }

    @EachMechanism
    void aConnectionOfATryStatementIsClosedBehindWhatWasSent(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder));
        Client client = lab.client();
        try (Connection connection = recorder.opened.take()) {
            assertTrue(connection.send(ServerLab.bytes("the last words\n")));
        }
        client.assertHears("the last words\n");
        client.assertIsClosed();
    }

    @EachMechanism
    void whatManyThreadsSendIsInTheirOrderAndNeverMixes(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder).maxPending(MAX_PENDING));
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        List<Job<Long>> senders = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            int sender = i;
            senders.add(lab.start(() -> sendAll(connection, sender)));
        }
        int[] next = new int[SENDERS];
        for (int i = 0; i < SENDERS * MESSAGES; i++) {
            ByteBuffer head = hear(client, HEAD);
            int sender = head.get();
            int number = head.getInt();
            int length = head.getInt();
            assertEquals(next[sender]++, number);
            assertEquals(-1, body(sender, number, length).mismatch(hear(client, length)));
        }
        long bytes = 0;
        for (Job<Long> each : senders) {
            bytes += each.result();
        }
        assertEquals(bytes, connection.accepted());
        lab.until(counts -> connection.pending() == 0);
        lab.assertNoProblem();
    }

    /** Those of the handler come from the loop's thread. */
    @EachMechanism
    void repliesAndWhatIsSentAreInTheOrderOfAcceptance(ServerLab lab) throws Exception {
        ByteBuffer large = ServerLab.bytes("L".repeat(100_000));
        ByteBuffer[] page = new ByteBuffer[1];
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            Connection connection = exchange.connection();
            data.get();
            exchange.send(ServerLab.bytes("1"));
            assertTrue(connection.send(ServerLab.bytes("2")));
            ServerLab.echoConsumed(data, exchange);
            exchange.send(page[0]);
            assertTrue(connection.send(large));
            exchange.send(page[0]);
            exchange.send(large);
            assertTrue(connection.send(ServerLab.bytes("3"), page[0]));
            exchange.send(ServerLab.bytes("4"));
        }).maxPending(100 * large.capacity()));
        page[0] = lab.server().resident(ServerLab.bytes("page"));
        Client client = lab.client();
        String each = "12?page" + "L".repeat(100_000) + "page" + "L".repeat(100_000) + "3page4";
        for (int i = 0; i < 10; i++) {
            client.say("???");
            client.assertHears(each.repeat(3));
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void repliesOfAHeldConnectionAreSentWhileOthersSend(ServerLab lab) throws Exception {
        lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        AtomicBoolean goesOn = new AtomicBoolean(true);
        AtomicLong heard = new AtomicLong();
        Job<Long> sender = lab.start(() -> {
            long sent = 0;
            while (goesOn.get()) { // no reply waits behind a full buffer of the socket
                if (connection.pending() < 30 && sent - heard.get() < 1000
                        && connection.send(ServerLab.bytes("[x]"))) {
                    sent++;
                } else {
                    Thread.yield();
                }
            }
            return sent;
        });
        StringBuilder replies = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            client.say("abc");
            for (int length = replies.length() + 3; replies.length() < length;) {
                String next = client.hear(1);
                if (next.equals("[")) {
                    client.assertHears("x]");
                    heard.incrementAndGet();
                } else {
                    replies.append(next);
                }
            }
        }
        goesOn.set(false);
        assertEquals("abc".repeat(200), replies.toString());
        for (long left = sender.result() - heard.get(); left > 0; left--) {
            client.assertHears("[x]");
        }
        lab.until(counts -> connection.pending() == 0);
        lab.assertNoProblem();
    }

    @EachMechanism
    void noMoreIsAcceptedThanMayWaitUntilThePeerReads(ServerLab lab) throws Exception {
        BlockingQueue<Long> pendingThen = new LinkedBlockingQueue<>();
        Recorder measuring = new Recorder(ServerLab::echo) {
            @Override
            public void onWritable(Connection connection) throws Exception {
                pendingThen.add(connection.pending());
                super.onWritable(connection);
            }
        };
        lab.serve(lab.anywhere(() -> measuring).maxPending(MAX_PENDING));
        Client client = lab.client();
        Connection connection = measuring.opened.take();
        ByteBuffer chunk = ByteBuffer.allocateDirect(50_000);
        for (int round = 0; round < 3; round++) {
            long before = connection.accepted();
            long sent = 0;
            // The system takes some megabytes while this sends.
            for (long end = System.nanoTime() + ServerLab.PATIENCE; sent < LARGE || measuring.writable.isEmpty();) {
                boolean accepted = connection.send(chunk);
                sent += accepted ? chunk.capacity() : 0;
                assertTrue(connection.pending() < MAX_PENDING + chunk.capacity());
                if (!accepted && connection.pending() >= MAX_PENDING) {
                    break;
                }
                assertTrue(System.nanoTime() < end);
            }
            assertEquals(sent, connection.accepted() - before);
            assertTrue(connection.isOpen());
            ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
            for (long left = sent; left > 0;) {
                int read = client.channel.read(some.clear().limit((int) Math.min(some.capacity(), left)));
                assertTrue(read > 0, "the end came with bytes left: " + left);
                left -= read;
            }
            assertSame(connection, measuring.writable.take());
            lab.until(counts -> connection.pending() == 0);
            client.say("?");
            client.assertHears("?"); // behind the last call, since when nothing was sent: others met what was
            assertTrue(List.copyOf(pendingThen).get(pendingThen.size() - 1) <= MAX_PENDING / 2);
            measuring.writable.clear();
            pendingThen.clear();
        }
        client.say("still here");
        client.assertHears("still here");
        assertTrue(measuring.writable.isEmpty());
        lab.assertNoProblem();
    }

    @EachMechanism
    void closingSendsWhatWasAccepted(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder));
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        ByteBuffer large = body(1, 2, LARGE);
        assertTrue(connection.send(large));
        connection.close();
        assertFalse(connection.isOpen());
        assertFalse(connection.send(ServerLab.bytes("too late")));
        assertEquals(-1, hear(client, LARGE).mismatch(large));
        assertEquals("", client.hear(1));
        assertEquals(CloseReason.CLOSED, recorder.reasons.take());
        assertEquals(LARGE, connection.accepted());
        lab.until(counts -> counts.closedByHandler() == 1 && counts.open() == 0);
        lab.assertNoProblem();
    }

    /** Nothing that the peer reads may look complete. */
    @EachMechanism
    void abortingResetsTheConnectionIfBytesArePending(ServerLab lab) throws Exception {
        Recorder aborting = new Recorder((data, exchange) -> {
            ServerLab.skip(data);
            exchange.connection().send(ByteBuffer.allocate(10));
            exchange.connection().abort();
            assertFalse(exchange.connection().send(ByteBuffer.allocate(10)));
            exchange.send(ServerLab.bytes("dropped"));
        });
        lab.serve(() -> aborting);
        Client client = lab.client();
        Connection connection = aborting.opened.take();
        connection.send(ByteBuffer.allocate(LARGE));
        connection.abort();
        assertFalse(connection.isOpen());
        assertThrows(IOException.class, () -> client.hear(LARGE));
        assertEquals(CloseReason.CLOSED, aborting.reasons.take());
        assertEquals(0, connection.pending());
        Client other = lab.client();
        other.say("?");
        assertThrows(IOException.class, () -> other.hear(1));
        assertEquals(CloseReason.CLOSED, aborting.reasons.take());
        lab.until(counts -> counts.closedByHandler() == 2 && counts.open() == 0);
    }

    @EachMechanism
    void anIdleConnectionIsAborted(ServerLab lab) throws Exception {
        lab.serve(() -> recorder);
        Client client = lab.client();
        recorder.opened.take().abort();
        client.assertIsClosed();
        assertEquals(CloseReason.CLOSED, recorder.reasons.take());
        lab.assertNoProblem();
    }

    @EachMechanism
    void nothingHasAnEffectWhenItHasEnded(ServerLab lab) throws Exception {
        lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        assertTrue(connection.isOpen());
        assertTrue(connection.send(ServerLab.bytes("hello")));
        client.assertHears("hello");
        client.close();
        assertEquals(CloseReason.PEER, recorder.reasons.take());
        for (int i = 0; i < 2; i++) {
            assertFalse(connection.isOpen());
            assertFalse(connection.send(ServerLab.bytes("to none")));
            assertFalse(connection.send(ServerLab.bytes("to"), ServerLab.bytes("none")));
            connection.pause();
            connection.resume();
            connection.shutdownOutput();
            connection.close();
            connection.abort();
            assertEquals(5, connection.accepted());
            assertEquals(0, connection.pending());
            Client other = lab.client(); // may get its place
            Connection next = recorder.opened.take();
            pass(other);
            assertTrue(next.isOpen());
            if (i == 0) {
                other.close();
                assertEquals(CloseReason.PEER, recorder.reasons.take());
            } else {
                lab.server().close();
                assertEquals(CloseReason.SERVER, recorder.reasons.take());
                assertFalse(next.send(ServerLab.bytes("to none")));
                next.close();
                break;
            }
        }
        assertTrue(recorder.reasons.isEmpty());
        lab.assertNoProblem();
    }

    @EachMechanism
    void shuttingDownTheOutputEndsWhatThePeerReads(ServerLab lab) throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Recorder listening = new Recorder((data, exchange) -> {
            heard.add(ServerLab.text(data));
            exchange.send(ServerLab.bytes("dropped"));
        });
        lab.serve(() -> listening);
        for (int length : new int[] {10, LARGE}) {
            Client client = lab.client();
            Connection connection = listening.opened.take();
            ByteBuffer last = body(1, 2, length);
            assertTrue(connection.send(last));
            connection.shutdownOutput();
            assertTrue(connection.isOpen());
            assertFalse(connection.send(ServerLab.bytes("too late")));
            assertEquals(-1, hear(client, length).mismatch(last));
            assertEquals("", client.hear(1));
            client.say("still heard");
            for (String rest = "still heard"; !rest.isEmpty();) {
                String next = heard.take();
                assertTrue(rest.startsWith(next), next);
                rest = rest.substring(next.length());
            }
            client.channel.shutdownOutput();
            assertEquals(CloseReason.PEER, listening.reasons.take());
            assertEquals(length, connection.accepted());
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void aPausedConnectionIsNotHandledUntilItIsResumed(ServerLab lab) throws Exception {
        lab.serve(() -> recorder);
        Client client = lab.client();
        Client other = lab.client();
        pass(other);
        pass(client);
        Connection connection = recorder.opened.take();
        if (!client.channel.getLocalAddress().equals(connection.remoteAddress())) {
            connection = recorder.opened.take();
        }
        for (int i = 0; i < 20; i++) {
            connection.pause();
            client.say("wait");
            pass(other);
            long requests = lab.server().statistics().requests();
            client.say("ing");
            pass(other);
            assertTrue(lab.server().statistics().requests() <= requests + 3, "it was handled");
            assertTrue(connection.send(ServerLab.bytes("paused: ")));
            client.assertHears("paused: ");
            connection.resume();
            client.assertHears("waiting");
        }
        lab.assertNoProblem();
    }

    /** What is to be done with a connection that its handler has paused. */
    private interface Paused {
        void accept(Connection connection) throws Exception;
    }

    /** Its handler pauses each connection once, and leaves what came; then it echoes. */
    private static StreamServerBuilder pausingOnce(ServerLab lab, Paused paused) {
        return lab.anywhere(() -> (data, exchange) -> {
            Connection connection = exchange.connection();
            if (connection.attach("paused") != null) {
                ServerLab.echo(data, exchange);
                return;
            }
            connection.pause();
            paused.accept(connection);
        });
    }

    /** Another thread may be done with a paused connection before the handler returns. */
    @EachMechanism
    void whatAHandlerLeavesThatWasResumedMeanwhileComesAgain(ServerLab lab) throws Exception {
        lab.serve(pausingOnce(lab, connection -> {
            FutureTask<Void> resuming = new FutureTask<>(connection::resume, null);
            new Thread(resuming).start();
            resuming.get();
        }));
        Client client = lab.client();
        client.say("abc");
        client.assertHears("abc");
        lab.assertNoProblem();
    }

    @EachMechanism
    void whatAPausingHandlerLeavesComesBeforeTheEnd(ServerLab lab) throws Exception {
        BlockingQueue<Connection> paused = new LinkedBlockingQueue<>();
        lab.serve(pausingOnce(lab, paused::add));
        for (int millis : new int[] {0, 0, 0, 0, 50}) {
            Client client = lab.client();
            client.say("abc");
            client.channel.shutdownOutput();
            Connection connection = paused.take();
            Thread.sleep(millis);
            connection.resume();
            client.assertHears("abc");
            client.assertIsClosed();
        }
        lab.assertNoProblem();
    }

    /** Also what is longer than an arena keeps. */
    @EachMechanism
    void whatAPausingHandlerLeavesComesAgain(ServerLab lab) throws Exception {
        BlockingQueue<Connection> paused = new LinkedBlockingQueue<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            char letter = (char) data.get(0);
            Connection connection = exchange.connection();
            if (letter == 'w' && connection.attach("waited") == null) {
                connection.pause();
                paused.add(connection);
                return; // consumes nothing
            }
            if (letter == 'l' && data.remaining() < 300_000) {
                connection.pause();
                paused.add(connection);
                exchange.awaitMore();
                return;
            }
            if (letter == 'l') {
                ServerLab.echoConsumed(data.position(300_000), exchange);
                return;
            }
            data.get();
            ServerLab.echoConsumed(data, exchange);
            if (letter == 'p') {
                connection.pause();
                paused.add(connection);
            }
        }).maxRequest(1_000_000));
        for (String said : List.of("apbcpd", "awb", "l".repeat(300_000) + "abc")) {
            Client client = lab.client();
            AtomicBoolean goesOn = new AtomicBoolean(true);
            Job<Boolean> resuming = lab.start(() -> {
                while (goesOn.get()) {
                    Connection next = paused.poll(1, TimeUnit.MILLISECONDS);
                    if (next != null) {
                        next.resume();
                    }
                }
                return true;
            });
            client.say(said);
            client.assertHears(said);
            goesOn.set(false);
            assertTrue(resuming.result());
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void pausingAndResumingByAnyThreadLosesNothing(ServerLab lab) throws Exception {
        lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        AtomicBoolean goesOn = new AtomicBoolean(true);
        List<Job<Boolean>> meddlers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            meddlers.add(lab.start(() -> {
                while (goesOn.get()) {
                    connection.pause();
                    connection.resume();
                }
                return true;
            }));
        }
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            String said = String.valueOf((char) ('a' + i % 26)).repeat(1 + random.nextInt(i % 10 == 0 ? 30_000 : 100));
            client.say(said);
            client.assertHears(said);
        }
        goesOn.set(false);
        for (Job<Boolean> each : meddlers) {
            assertTrue(each.result());
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void itHasAnAttachmentAndTellsWhereItIs(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> recorder);
        Client client = lab.client();
        Connection connection = recorder.opened.take();
        assertNull(connection.attachment());
        assertNull(connection.attach("one"));
        assertEquals("one", connection.attach("two"));
        assertEquals("two", connection.attachment());
        assertSame(server, connection.server());
        assertEquals(client.channel.getLocalAddress(), connection.remoteAddress());
        client.close();
        recorder.reasons.take();
        assertEquals("two", connection.attach(null));
        assertNull(connection.attachment());
        assertSame(server, connection.server());
    }

    @EachMechanism
    void eachCallHasTheSameOne(ServerLab lab) throws Exception {
        BlockingQueue<Connection> seen = new LinkedBlockingQueue<>();
        lab.serve(() -> (data, exchange) -> {
            seen.add(exchange.connection());
            seen.add(exchange.connection());
            data.get();
            ServerLab.echoConsumed(data, exchange);
        });
        Client client = lab.client();
        Client other = lab.client();
        client.say("ab");
        client.assertHears("ab");
        Connection connection = seen.take();
        for (int i = 0; i < 3; i++) {
            assertSame(connection, seen.take());
        }
        other.say("a");
        other.assertHears("a");
        assertTrue(connection != seen.take());
    }

    @EachMechanism
    void theHandleOfAnEndedConnectionIsAnEndedOne(ServerLab lab) throws Exception {
        BlockingQueue<Connection> seen = new LinkedBlockingQueue<>();
        lab.serve(() -> new Recorder(ServerLab::echo) {
            @Override
            public void onOpen(Exchange exchange) {
                // keeps none
            }

            @Override
            public void onClose(Exchange exchange, CloseReason reason) {
                seen.add(exchange.connection());
            }
        });
        for (int i = 0; i < 3; i++) {
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
            client.close();
            Connection connection = seen.take();
            assertFalse(connection.isOpen());
            assertFalse(connection.send(ServerLab.bytes("to none")));
            connection.close();
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void aDeferredReplyKeepsItsPlace(ServerLab lab) throws Exception {
        BlockingQueue<Reply> deferred = new LinkedBlockingQueue<>();
        Recorder deferring = new Recorder((data, exchange) -> {
            if (ServerLab.letter(data) == 'd') {
                deferred.add(exchange.defer());
            } else {
                ServerLab.echoConsumed(data, exchange);
            }
        });
        lab.serve(() -> deferring);
        Client client = lab.client();
        Connection connection = deferring.opened.take();
        for (int i = 0; i < 50; i++) {
            client.say("adb");
            client.assertHears("a");
            Reply reply = deferred.take();
            assertTrue(connection.send(ServerLab.bytes("before ")));
            reply.send(ServerLab.bytes("late"));
            client.assertHears("before late");
            client.assertHears("b");
            assertTrue(connection.send(ServerLab.bytes(" behind")));
            client.assertHears(" behind");
        }
        client.say("d");
        Reply last = deferred.take();
        assertTrue(connection.send(ByteBuffer.allocate(LARGE)));
        last.sendAndClose(ServerLab.bytes("bye"));
        hear(client, LARGE);
        assertEquals("bye", client.hear(4));
        assertEquals(CloseReason.CLOSED, deferring.reasons.take());
        lab.assertNoProblem();
    }

    @EachMechanism
    void handingOverLosesNothing(ServerLab lab) throws Exception {
        int length = 200_000;
        ByteBuffer large = body(1, 2, LARGE);
        Recorder leaving = new Recorder((data, exchange) -> {
            exchange.connection().send(large);
            exchange.send(ServerLab.bytes("reply"));
            exchange.handOver();
        });
        lab.serve(lab.anywhere(() -> leaving).maxPending(2 * LARGE).slowPath((channel, unread) -> {
            ByteBuffer all = ByteBuffer.allocate(length).put(unread);
            while (all.hasRemaining()) {
                channel.read(all);
            }
            for (all.flip(); all.hasRemaining();) {
                channel.write(all);
            }
            channel.close();
        }, THREADS));
        Client client = lab.client();
        Connection connection = leaving.opened.take();
        ByteBuffer request = body(3, 4, length);
        while (request.hasRemaining()) {
            client.channel.write(request);
        }
        lab.until(counts -> connection.accepted() > 0 && !connection.isOpen());
        assertEquals(-1, hear(client, LARGE).mismatch(large));
        client.assertHears("reply");
        assertEquals(-1, hear(client, length).mismatch(request.flip()));
        client.assertIsClosed();
        assertEquals(CloseReason.HANDED_OVER, leaving.reasons.take());
        assertTrue(leaving.reasons.isEmpty());
        lab.assertNoProblem();
    }

    /** Each of many has more to send than one round has room for beside the replies of one. */
    @EachMechanism
    void moreIsSentAtOnceThanABatchMayOrder(ServerLab lab) throws Exception {
        int others = 8;
        ByteBuffer large = body(1, 2, 1 << 20);
        List<Connection> all = new ArrayList<>();
        lab.serve(lab.anywhere(() -> new Recorder((data, exchange) -> {
            if (ServerLab.letter(data) != 'f') {
                ServerLab.echoConsumed(data, exchange);
                return;
            }
            all.stream().filter(each -> each != exchange.connection()).forEach(each -> each.send(large));
            for (int i = 0; i < FLOOD; i++) {
                exchange.send(ServerLab.bytes("flood"));
            }
        }) {
            @Override
            public void onOpen(Exchange exchange) {
                all.add(exchange.connection());
            }
        }).maxPending(LARGE));
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < others; i++) {
            clients.add(lab.client());
            clients.get(i).say("x");
            clients.get(i).assertHears("x");
        }
        Client flood = lab.client();
        flood.say("f");
        flood.assertHears("flood".repeat(FLOOD));
        for (Client each : clients) {
            assertEquals(-1, hear(each, large.capacity()).mismatch(large));
            each.say("x");
            each.assertHears("x");
        }
        lab.assertNoProblem();
    }
}
