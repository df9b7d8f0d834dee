// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.Loops;
import dev.pollux.lab.Injection;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Loops that have failed, since the kernel refuses their turn: the others serve all that comes. */
class DeadLoopTest {
    private static final String WAITS = "io_uring_enter,epoll_wait,epoll_pwait,epoll_pwait2,poll,ppoll";

    private final BlockingQueue<Injection> injections = new LinkedBlockingQueue<>();
    private final BlockingQueue<CloseReason> closed = new LinkedBlockingQueue<>();

    /**
     * Echoes; 'f' has the loop's turn fail, 'l' after a while, 't' tells the number of the loop. A turn makes two calls
     * on io_uring; the third one ends what the kernel does for the loop.
     */
    private final class Echo implements ConnectionHandler {
        @Override
        public void onData(ByteBuffer data, Exchange exchange) throws Exception {
            switch (data.get(0)) {
                case 'f' -> injections.add(Injection.failingTwice(WAITS, "EBADF", Duration.ofMillis(1)));
                case 'l' -> injections.add(Injection.failingTwice(WAITS, "EBADF", Duration.ofSeconds(2)));
                default -> { }
            }
            if (data.get(0) == 't') {
                String name = Thread.currentThread().getName();
                exchange.send(ServerLab.bytes(name.substring(name.length() - 1)));
                ServerLab.skip(data);
            } else {
                ServerLab.echo(data, exchange);
            }
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            closed.add(reason);
        }
    }

    /** Here, since a handler can't skip the test. */
    private static void skipWithoutStrace() throws Exception {
        Injection.watching("poll").close();
    }

    private CloseReason closeReason() throws InterruptedException {
        return closed.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
    }

    /** Ends what strace does to a thread that has ended: it would outlive the test. */
    private void endInjections() throws Exception {
        for (Injection each : injections) {
            each.close();
        }
    }

    private static String ask(Client client, String what) throws IOException {
        client.say(what);
        return client.hear(1);
    }

    private void assertHasFailed(ServerLab lab) throws Exception {
        ServerLab.Problem problem = lab.problem();
        assertEquals(Place.LOOP, problem.place());
        assertInstanceOf(IOException.class, problem.error());
        assertEquals(CloseReason.SERVER, closeReason());
        endInjections();
    }

    @EachMechanism
    void theOthersServeAllThatComes(ServerLab lab) throws Exception {
        skipWithoutStrace();
        lab.serve(lab.anywhere(Echo::new).loops(3));
        assertEquals(3, lab.server().statistics().loops());
        Client client = lab.client();
        String failed = ask(client, "t");
        client.say("f");
        assertHasFailed(lab);
        client.assertIsClosedAfter("f");
        assertEquals(2, lab.server().statistics().loops());
        assertTrue(lab.server().isOpen());
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            clients.add(lab.client());
        }
        for (Client each : clients) {
            assertFalse(ask(each, "t").equals(failed));
        }
        lab.until(counts -> counts.open() == 30);
        lab.assertNoProblem();
    }

    @EachMechanism
    void connectionsThatAreGivenOrMadeGoToTheOthers(ServerLab lab) throws Exception {
        skipWithoutStrace();
        lab.serve(lab.anywhere(Echo::new).loops(2));
        Client client = lab.client();
        client.say("f");
        assertHasFailed(lab);
        for (int i = 0; i < 10; i++) {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ServerLab.loopback(0))) {
                Client made = new Client(lab.opened(SocketChannel.open(listener.getLocalAddress())));
                lab.server().adopt(listener.accept(), ByteBuffer.allocate(0));
                assertEquals("x", ask(made, "x"));
                lab.server().connect(listener.getLocalAddress(), new Echo());
                Client connected = new Client(lab.opened(listener.accept()));
                assertEquals("x", ask(connected, "x"));
            }
        }
        lab.assertNoProblem();
    }

    /** The loop with fewer connections takes its last turn, and is given more. */
    @EachMechanism
    void aConnectionThatWasGivenToItBeforeGoesToAnother(ServerLab lab) throws Exception {
        skipWithoutStrace();
        List<Loop> before = Loops.open();
        lab.serve(lab.anywhere(Echo::new).loops(2));
        Map<String, Client> one = new HashMap<>();
        String last = "";
        while (one.size() < 2 || lab.server().statistics().open() % 2 == 0) {
            Client client = lab.client();
            last = ask(client, "t");
            one.put(last, client);
        }
        String lighter = last.equals("0") ? "1" : "0"; // they differ by one
        one.get(lighter).say("l");
        Injection failing = injections.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
        Loop loop = Loops.open().stream().filter(each -> !before.contains(each))
                .filter(each -> each.statistics().thread().getName().endsWith(lighter)).findAny().orElseThrow();
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ServerLab.loopback(0))) {
            while (!loop.gate().startsWith("blocked")) {
                Thread.sleep(1);
            }
            List<Client> given = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                given.add(new Client(lab.opened(SocketChannel.open(listener.getLocalAddress()))));
                lab.server().adopt(listener.accept(), ByteBuffer.allocate(0));
            }
            assertHasFailed(lab);
            for (Client each : given) {
                assertEquals("x", ask(each, "x"));
            }
        } finally {
            failing.close();
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void withTheLastOneTheServerEnds(ServerLab lab) throws Exception {
        skipWithoutStrace();
        BlockingQueue<Boolean> openWhenTold = new LinkedBlockingQueue<>();
        StreamServer[] server = {null};
        server[0] = lab.serve(lab.anywhere(Echo::new).onError((place, error, peer) -> {
            if (place == Place.LOOP) {
                openWhenTold.add(server[0].isOpen());
            }
        }));
        Client client = lab.client();
        client.say("f");
        assertEquals(false, openWhenTold.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
        endInjections();
        assertEquals(CloseReason.SERVER, closeReason());
        assertEquals(0, server[0].statistics().loops());
        assertEquals(0, server[0].statistics().open());
        server[0].close(1, TimeUnit.HOURS);
        assertThrows(IOException.class, () -> SocketChannel.open(server[0].address()));
        lab.serve(lab.at(server[0].address(), Echo::new));
        assertEquals("x", ask(lab.client(), "x"));
        Recorder late = new Recorder(ServerLab::echo);
        server[0].connect(lab.server().address(), late);
        assertEquals(CloseReason.FAILED, late.reasons.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
    }
}
