// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Connections that a server opens itself. */
class ConnectTest {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

    /** Tells what it is called for. */
    static class Events implements ConnectionHandler {
        final BlockingQueue<String> events = new LinkedBlockingQueue<>();
        volatile Thread thread;

        @Override
        public void onOpen(Exchange exchange) {
            thread = Thread.currentThread();
            events.add("open");
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            events.add(ServerLab.text(data));
        }

        @Override
        public void onEnd(Exchange exchange) {
            events.add("end");
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            events.add("close " + reason);
        }

        void assertNext(String expected) throws InterruptedException {
            assertEquals(expected, events.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
        }

        /** In as many pieces as it comes. */
        void assertHears(String expected) throws InterruptedException {
            String heard = "";
            while (heard.length() < expected.length()) {
                heard += events.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
            }
            assertEquals(expected, heard);
        }

        void assertLast(CloseReason reason) throws InterruptedException {
            assertNext("close " + reason);
            assertTrue(events.isEmpty(), events::toString);
        }
    }

    private static ServerSocketChannel listener(ServerLab lab) throws IOException {
        ServerSocketChannel listener = lab.listener();
        listener.configureBlocking(true);
        return listener;
    }

    private static SocketAddress refusedAddress() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ServerLab.loopback(0))) {
            return listener.getLocalAddress();
        }
    }

    private static Client accept(ServerLab lab, ServerSocketChannel listener) throws IOException {
        return lab.opened(new Client(listener.accept()));
    }

    /** A handler that runs what the test wants it to, in its loop. */
    private void run(ByteBuffer data, Exchange exchange) {
        ServerLab.echo(data, exchange);
        steps.remove().run();
    }

    /** Connects in the loop's thread, which hears that it is connected after this: so all that is sent comes before. */
    private Connection connectAndSend(ServerLab lab, SocketAddress address, Events recorder) throws Exception {
        CompletableFuture<Connection> result = new CompletableFuture<>();
        steps.add(() -> {
            try {
                Connection connection = lab.server().connect(address, recorder);
                for (int i = 0; i < 100; i++) {
                    assertTrue(connection.send(ServerLab.bytes(i + " "), ServerLab.bytes("early ")));
                }
                result.complete(connection);
            } catch (Exception | AssertionError e) {
                result.completeExceptionally(e);
            }
        });
        try (Client client = new Client(SocketChannel.open(lab.server().address()))) {
            client.say("x");
            client.assertHears("x");
        }
        return result.get();
    }

    /** Sends before it is connected, as it opens, and afterwards, and receives. */
    private void assertTalks(ServerLab lab, ServerSocketChannel listener) throws Exception {
        Events recorder = new Events() {
            @Override
            public void onOpen(Exchange exchange) {
                exchange.send(ServerLab.bytes("open "));
                super.onOpen(exchange);
            }
        };
        Connection connection = connectAndSend(lab, listener.getLocalAddress(), recorder);
        Client far = accept(lab, listener);
        recorder.assertNext("open");
        assertTrue(connection.send(ServerLab.bytes("late")));
        for (int i = 0; i < 100; i++) {
            far.assertHears(i + " early ");
        }
        far.assertHears("open late");
        far.say("reply");
        recorder.assertNext("reply");
        assertEquals(listener.getLocalAddress(), connection.remoteAddress());
        if (connection.remoteAddress() instanceof InetSocketAddress) {
            assertEquals(far.channel.getRemoteAddress(), connection.localAddress());
        }
        far.close();
        recorder.assertNext("end");
        connection.close();
        recorder.assertLast(CloseReason.CLOSED);
        assertFalse(connection.isOpen());
        lab.assertNoProblem();
    }

    @EachMechanism
    void whatIsSentBeforeItIsConnectedGoesFirst(ServerLab lab) throws Exception {
        lab.serve(() -> this::run);
        ServerSocketChannel listener = listener(lab);
        for (int i = 0; i < 20; i++) {
            assertTalks(lab, listener);
        }
        assertEquals(20, lab.server().statistics().connected());
    }

    @EachMechanism
    void soItDoesInTheUnixDomain(ServerLab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        Path path = folder.resolve("socket");
        try {
            lab.serve(() -> this::run);
            ServerSocketChannel listener = lab.opened(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
            assertThrows(IOException.class,
                    () -> lab.server().connect(UnixDomainSocketAddress.of(path), new Events()));
            listener.bind(UnixDomainSocketAddress.of(path));
            for (int i = 0; i < 20; i++) {
                assertTalks(lab, listener);
            }
            listener.close();
            assertThrows(ConnectException.class,
                    () -> lab.server().connect(UnixDomainSocketAddress.of(path), new Events()));
            lab.until(counts -> counts.open() == 0);
        } finally {
            Files.deleteIfExists(path);
            Files.delete(folder);
        }
    }

    private static boolean isRefused(ServerLab lab, SocketAddress address) throws Exception {
        Events recorder = new Events();
        try {
            lab.server().connect(address, recorder);
        } catch (IOException e) {
            return true;
        }
        if ("open".equals(recorder.events.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS))) {
            return false;
        }
        assertEquals(Place.CONNECTION, lab.problem().place());
        return true;
    }

    /** The first system call fails, or it fails later: a full queue of the Unix domain never tells of room. */
    @EachMechanism
    void aFullQueueInTheUnixDomainIsAFailure(ServerLab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        Path path = folder.resolve("socket");
        try {
            lab.serve(() -> ServerLab::echo);
            ServerSocketChannel listener = lab.opened(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
            listener.bind(UnixDomainSocketAddress.of(path), 1);
            boolean isFull = false;
            for (int i = 0; i < 5; i++) {
                isFull |= isRefused(lab, UnixDomainSocketAddress.of(path));
            }
            assertTrue(isFull);
            lab.assertNoProblem();
        } finally {
            Files.deleteIfExists(path);
            Files.delete(folder);
        }
    }

    @EachMechanism
    void aRefusalIsToldWithTheAddress(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        SocketAddress nowhere = refusedAddress();
        Events recorder = new Events();
        Connection connection = lab.server().connect(nowhere, recorder);
        connection.send(ServerLab.bytes("lost"));
        recorder.assertLast(CloseReason.FAILED);
        Problem problem = lab.problem();
        assertEquals(Place.CONNECTION, problem.place());
        assertEquals(nowhere, problem.peer(), problem::toString);
        assertFalse(connection.isOpen());
        assertFalse(connection.send(ServerLab.bytes("x")));
        assertNull(connection.localAddress());
        lab.until(counts -> counts.open() == 0 && counts.closedFailed() == 1);
        lab.assertNoProblem();
    }

    @EachMechanism
    void anUnresolvedAddressIsRefusedAtOnce(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        Events recorder = new Events();
        assertThrows(UnresolvedAddressException.class,
                () -> lab.server().connect(InetSocketAddress.createUnresolved("localhost", 1), recorder));
        assertTrue(recorder.events.isEmpty());
    }

    @EachMechanism
    void aFullServerConnectsNoMore(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).maxConnections(1));
        Client client = lab.client();
        client.say("x");
        client.assertHears("x");
        ServerSocketChannel listener = listener(lab);
        Events recorder = new Events();
        Connection connection = lab.server().connect(listener.getLocalAddress(), recorder);
        recorder.assertLast(CloseReason.FAILED);
        assertEquals(listener.getLocalAddress(), lab.problem().peer());
        assertFalse(connection.isOpen());
        client.close();
        lab.until(counts -> counts.open() == 0);
        Events next = new Events();
        lab.server().connect(listener.getLocalAddress(), next);
        next.assertNext("open");
    }

    @EachMechanism
    void aClosedServerConnectsNoMore(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        lab.server().close();
        ServerSocketChannel listener = listener(lab);
        Events recorder = new Events();
        Connection connection = lab.server().connect(listener.getLocalAddress(), recorder);
        recorder.assertLast(CloseReason.FAILED);
        assertEquals("the server is closed", lab.problem().error().getMessage());
        assertFalse(connection.isOpen());
        accept(lab, listener).assertIsClosed();
    }

    /** One whose queue is full: nothing that comes is answered. */
    private static ServerSocketChannel fullListener(ServerLab lab, List<SocketChannel> waiting) throws Exception {
        ServerSocketChannel listener = lab.opened(ServerSocketChannel.open());
        listener.bind(ServerLab.loopback(0), 1);
        for (int i = 0; i < 4; i++) {
            SocketChannel channel = lab.opened(SocketChannel.open());
            channel.configureBlocking(false);
            channel.connect(listener.getLocalAddress());
            waiting.add(channel);
        }
        return listener;
    }

    @EachMechanism
    void oneThatIsAbortedWhileItConnectsEndsAtOnce(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        ServerSocketChannel listener = fullListener(lab, new ArrayList<>());
        for (int i = 0; i < 2; i++) {
            Events recorder = new Events();
            Connection connection = lab.server().connect(listener.getLocalAddress(), recorder);
            assertTrue(connection.send(ServerLab.bytes("lost")));
            if (i > 0) {
                lab.until(counts -> counts.open() == 1);
            }
            connection.abort();
            recorder.assertLast(CloseReason.CLOSED);
            lab.until(counts -> counts.open() == 0);
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void oneThatIsClosedWhileItConnectsSendsFirst(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        List<SocketChannel> waiting = new ArrayList<>();
        ServerSocketChannel listener = fullListener(lab, waiting);
        Events recorder = new Events();
        Connection connection = lab.server().connect(listener.getLocalAddress(), recorder);
        assertTrue(connection.send(ServerLab.bytes("last words")));
        connection.close();
        assertFalse(connection.isOpen());
        lab.until(counts -> counts.open() == 1);
        for (SocketChannel each : waiting) {
            each.close();
        }
        String heard = "";
        while (heard.isEmpty()) {
            heard = accept(lab, listener).hear(20);
        }
        assertEquals("last words", heard);
        lab.until(counts -> counts.open() == 0);
        List<String> events = List.copyOf(recorder.events);
        assertEquals("close CLOSED", events.get(events.size() - 1));
        lab.assertNoProblem();
    }

    @EachMechanism
    void aServerThatIsClosedEndsWhatConnects(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        ServerSocketChannel listener = fullListener(lab, new ArrayList<>());
        Events recorder = new Events();
        lab.server().connect(listener.getLocalAddress(), recorder);
        lab.until(counts -> counts.open() == 1);
        lab.server().close();
        recorder.assertLast(CloseReason.SERVER);
    }

    @EachMechanism
    void whatAHandlerThrowsAsItOpensClosesIt(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        ServerSocketChannel listener = listener(lab);
        Events recorder = new Events() {
            @Override
            public void onOpen(Exchange exchange) {
                throw new IllegalStateException("on purpose");
            }
        };
        lab.server().connect(listener.getLocalAddress(), recorder);
        accept(lab, listener).assertIsClosed();
        recorder.assertLast(CloseReason.THROWN);
        assertEquals("on purpose", lab.problem().error().getMessage());
    }

    /** Connects for each letter that it gets, and tells its thread. */
    @EachMechanism
    void aHandlerConnectsInItsOwnLoop(ServerLab lab) throws Exception {
        ServerSocketChannel listener = listener(lab);
        Map<Events, Thread> callers = new ConcurrentHashMap<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            Events recorder = new Events();
            callers.put(recorder, Thread.currentThread());
            exchange.server().connect(listener.getLocalAddress(), recorder);
            ServerLab.echo(data, exchange);
        }).loops(2));
        for (int i = 0; i < 20; i++) {
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
            accept(lab, listener);
        }
        assertEquals(20, callers.size());
        for (Map.Entry<Events, Thread> each : callers.entrySet()) {
            each.getKey().assertNext("open");
            assertEquals(each.getValue(), each.getKey().thread);
        }
    }

    @EachMechanism
    void anotherThreadConnectsInTheLoopWithTheFewest(ServerLab lab) throws Exception {
        ServerSocketChannel listener = listener(lab);
        lab.serve(lab.anywhere(() -> ServerLab::echo).loops(2));
        Map<Thread, Integer> counts = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            Events recorder = new Events();
            lab.server().connect(listener.getLocalAddress(), recorder);
            recorder.assertNext("open");
            counts.merge(recorder.thread, 1, Integer::sum);
            accept(lab, listener);
        }
        assertEquals(List.of(10, 10), List.copyOf(counts.values()));
    }

    @EachMechanism
    void whenBothSidesHaveEndedItIsClosed(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        ServerSocketChannel listener = listener(lab);
        Events first = new Events();
        Connection connection = lab.server().connect(listener.getLocalAddress(), first);
        connection.send(ServerLab.bytes("all"));
        connection.shutdownOutput();
        Client far = accept(lab, listener);
        assertEquals("all", far.hear(4));
        assertFalse(connection.send(ServerLab.bytes("more")));
        far.say("still heard");
        first.assertNext("open");
        first.assertNext("still heard");
        assertTrue(connection.isOpen());
        far.channel.shutdownOutput();
        first.assertNext("end");
        first.assertLast(CloseReason.PEER);

        Events second = new Events();
        connection = lab.server().connect(listener.getLocalAddress(), second);
        far = accept(lab, listener);
        far.channel.shutdownOutput();
        second.assertNext("open");
        second.assertNext("end");
        assertTrue(connection.send(ServerLab.bytes("still heard")));
        connection.shutdownOutput();
        assertEquals("still heard", far.hear(20));
        second.assertLast(CloseReason.PEER);
        lab.assertNoProblem();
    }

    @EachMechanism
    void aReplyAfterTheEndOfTheOutputIsDropped(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        ServerSocketChannel listener = listener(lab);
        Events recorder = new Events() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                super.onData(data.duplicate(), exchange);
                ServerLab.echo(data, exchange);
            }
        };
        Connection connection = lab.server().connect(listener.getLocalAddress(), recorder);
        connection.shutdownOutput();
        Client far = accept(lab, listener);
        assertEquals("", far.hear(1));
        recorder.assertNext("open");
        for (int i = 0; i < 3; i++) {
            far.say("x");
            recorder.assertNext("x");
        }
        assertTrue(connection.isOpen());
        assertEquals(0, connection.accepted());
        far.channel.shutdownOutput();
        recorder.assertNext("end");
        recorder.assertLast(CloseReason.PEER);
        lab.assertNoProblem();
    }

    /** Sends more than the system takes, on "f" as much as may be pending, and tells what is as it is called. */
    private static final class Filler implements ConnectionHandler {
        static final int MAX = 16 << 20;
        private static final ByteBuffer PIECE = ByteBuffer.allocate(1 << 16);

        final BlockingQueue<Long> pending = new LinkedBlockingQueue<>();
        final CountDownLatch isFull = new CountDownLatch(1);

        @Override
        public void onOpen(Exchange exchange) {
            Connection connection = exchange.connection();
            while (connection.accepted() < MAX / 2) {
                connection.send(PIECE);
            }
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            Connection connection = exchange.connection();
            pending.add(connection.pending());
            if (ServerLab.letter(data) == 'f') {
                while (connection.send(PIECE)) {
                    // until it is full
                }
                isFull.countDown();
            }
        }
    }

    @EachMechanism
    void requestsAreHandledWhileThePeerDoesNotRead(ServerLab lab) throws Exception {
        Filler filler = new Filler();
        lab.serve(lab.anywhere(() -> filler).maxPending(Filler.MAX));
        Client client = lab.client();
        for (int i = 0; i < 100; i++) {
            client.say("x");
            long pending = filler.pending.take();
            assertTrue(pending > 0 && pending < Filler.MAX, "pending: " + pending);
        }
        client.say("f" + "y".repeat(1000));
        filler.isFull.await();
        filler.pending.take();
        ByteBuffer some = ByteBuffer.allocate(1 << 20);
        client.channel.configureBlocking(false); // all may be read before the last request is handled
        for (int handled = 0; handled < 1000;) {
            assertTrue(client.channel.read(some.clear()) >= 0);
            for (Long pending = filler.pending.poll(); pending != null; pending = filler.pending.poll()) {
                assertTrue(pending < Filler.MAX, "pending: " + pending);
                handled++;
            }
        }
        lab.assertNoProblem();
    }
}
