// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.FailingJni;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Native code has no memory for a connection that is handed over: to the slow path, from it, and to another loop. That
 * connection fails, and ten others of these loops do not notice.
 */
class HandOverFailureTest {
    private static final int OTHERS = 10;

    /** Clients that come while the loops are busy, so that some of them move, with what they have said. */
    private static final int CROWD = 16;

    private volatile int nth;
    private volatile CountDownLatch busy = new CountDownLatch(0);
    private volatile CountDownLatch crowd = new CountDownLatch(0);

    /**
     * Echoes; 's' takes the slow path, and has the nth call of the loop's thread fail from now on, as 'n' has. 'l'
     * tells how many calls are left until then, and that none fails. 'w' has the loop wait for the crowd.
     */
    private void serve(ByteBuffer data, Exchange exchange) throws Exception {
        switch (data.get(0)) {
            case 's' -> {
                FailingJni.failAt(nth);
                exchange.handOver();
                return;
            }
            case 'n' -> FailingJni.failAt(nth);
            case 'w' -> {
                busy.countDown();
                crowd.await();
            }
            case 'l' -> {
                exchange.send(ServerLab.bytes(String.valueOf(FailingJni.left())));
                FailingJni.failAt(0);
                ServerLab.skip(data);
                return;
            }
            default -> { }
        }
        ServerLab.echo(data, exchange);
    }

    private static List<Client> others(ServerLab lab) throws IOException {
        List<Client> others = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            others.add(lab.client());
        }
        assertAreServed(others);
        return others;
    }

    private static void assertAreServed(List<Client> others) throws IOException {
        for (int i = 0; i < others.size(); i++) {
            others.get(i).say("other " + i);
        }
        for (int i = 0; i < others.size(); i++) {
            others.get(i).assertHears("other " + i);
        }
    }

    private static String ask(Client client, String what) throws IOException {
        client.say(what);
        return client.hear(1);
    }

    /** What a client hears; nothing if its connection was closed, be it by a reset. */
    private static String hear(Client client, int length) {
        try {
            return client.hear(length);
        } catch (IOException e) {
            return "";
        }
    }

    private static void assertIsTold(ServerLab lab) throws InterruptedException {
        Problem problem = lab.problem();
        assertNotEquals(Place.LOOP, problem.place());
        if (!(problem.error() instanceof IOException)) { // which our own natives' callers make of it
            assertInstanceOf(OutOfMemoryError.class, problem.error());
        }
    }

    /** Whether the connection has failed: it had as many calls. */
    private static boolean hasFailed(ServerLab lab, Client client, String said, Client other) throws Exception {
        String heard = hear(client, said.length());
        if (heard.equals(said)) {
            assertNotEquals("0", ask(other, "l"), "a failure that has no effect");
            return false;
        }
        assertEquals("", heard);
        assertIsTold(lab);
        assertEquals("0", ask(other, "l"));
        return true;
    }

    /** The slow path is taken, and left, by the loop's thread. */
    @EachMechanism
    void whoTakesTheSlowPathAndComesBackFailsAlone(ServerLab lab) throws Exception {
        FailingJni.needed();
        lab.serve(lab.anywhere(() -> this::serve).slowPath((channel, unread) -> {
            unread.get();
            lab.server().adopt(channel, unread);
        }, Runnable::run));
        List<Client> others = others(lab);
        boolean fails = true;
        for (nth = 1; fails; nth++) {
            try (Client client = lab.client()) {
                client.say("sand goes on");
                fails = hasFailed(lab, client, "and goes on", others.get(0));
            }
            assertAreServed(others);
            lab.until(counts -> counts.open() == OTHERS);
            lab.assertNoProblem();
        }
        assertTrue(nth > 3, "calls: " + nth);
    }

    @EachMechanism
    void whoIsGivenWithBytesFailsAlone(ServerLab lab) throws Exception {
        FailingJni.needed();
        lab.serve(() -> this::serve);
        List<Client> others = others(lab);
        boolean fails = true;
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ServerLab.loopback(0))) {
            for (nth = 1; fails; nth++) {
                assertEquals("n", ask(others.get(0), "n"));
                try (Client client = new Client(SocketChannel.open(listener.getLocalAddress()))) {
                    lab.server().adopt(listener.accept(), ServerLab.bytes("given"));
                    fails = hasFailed(lab, client, "given", others.get(0));
                }
                assertAreServed(others);
                lab.until(counts -> counts.open() == OTHERS);
                lab.assertNoProblem();
            }
        }
        assertTrue(nth > 2, "calls: " + nth);
    }

    /** Opens clients that say something while the loops do not look. */
    private List<Client> crowd(ServerLab lab, List<Client> ofEachLoop) throws Exception {
        crowd = new CountDownLatch(1);
        busy = new CountDownLatch(ofEachLoop.size());
        List<Client> clients = new ArrayList<>();
        try {
            for (Client each : ofEachLoop) {
                each.say("w");
            }
            busy.await();
            for (int i = 0; i < CROWD; i++) {
                clients.add(lab.client());
                clients.get(i).say("crowd " + (char) ('a' + i));
            }
        } finally {
            crowd.countDown();
        }
        for (Client each : ofEachLoop) {
            each.assertHears("w");
        }
        return clients;
    }

    /** How many of them were closed. */
    private static int failures(ServerLab lab, List<Client> clients) throws Exception {
        int failures = 0;
        for (int i = 0; i < CROWD; i++) {
            String said = "crowd " + (char) ('a' + i);
            String heard = hear(clients.get(i), said.length());
            if (!heard.equals(said)) {
                assertEquals("", heard);
                assertIsTold(lab);
                failures++;
            }
            clients.get(i).close();
        }
        return failures;
    }

    /** Others than io_uring receive nothing before the move, so that nothing has to be copied. */
    @EachMechanism
    void whoMovesToAnotherLoopFailsAlone(ServerLab lab) throws Exception {
        assumeTrue(lab.isUring(), "nothing is received before it moves");
        FailingJni.needed();
        lab.serve(lab.anywhere(() -> new OfLoop(this::serve)).loops(2));
        List<Client> others = others(lab);
        List<Client> ofEachLoop = new ArrayList<>();
        for (int loop = 0; loop < 2; loop++) {
            String name = String.valueOf(loop);
            for (Client each : others) {
                if (ofEachLoop.size() == loop && ask(each, "t").equals(name)) {
                    ofEachLoop.add(each);
                }
            }
        }
        assertEquals(2, ofEachLoop.size());
        for (nth = 1; nth <= 3; nth++) {
            for (Client each : ofEachLoop) {
                assertEquals("n", ask(each, "n"));
            }
            int failures = 0;
            while (failures == 0) {
                failures = failures(lab, crowd(lab, ofEachLoop));
                assertAreServed(others);
                lab.until(counts -> counts.open() == OTHERS);
            }
            int told = 0;
            for (Client each : ofEachLoop) {
                told += ask(each, "l").equals("0") ? 1 : 0;
            }
            assertEquals(told, failures);
            lab.assertNoProblem();
        }
    }

    /** Another handler, but 't' tells the number of the loop. */
    private record OfLoop(ConnectionHandler handler) implements ConnectionHandler {
        @Override
        public void onData(ByteBuffer data, Exchange exchange) throws Exception {
            if (data.get(0) == 't') {
                String name = Thread.currentThread().getName();
                exchange.send(ServerLab.bytes(name.substring(name.length() - 1)));
                ServerLab.skip(data);
            } else {
                handler.onData(data, exchange);
            }
        }
    }
}
