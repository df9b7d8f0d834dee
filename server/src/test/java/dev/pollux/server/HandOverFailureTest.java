// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.FailingJni;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * Native code has no memory for a connection that is handed over: to the slow path, or to a loop. That connection
 * fails, and ten others of that loop do not notice.
 */
class HandOverFailureTest {
    private static final int OTHERS = 10;

    private volatile int nth;

    /**
     * Echoes; 's' takes the slow path, and has the nth call of the loop's thread fail from now on, as 'n' has. 'l'
     * tells how many calls are left until then, and that none fails.
     */
    private void serve(ByteBuffer data, Exchange exchange) throws Exception {
        switch (data.get(0)) {
            case 's' -> {
                FailingJni.failAt(nth);
                exchange.handOver();
                return;
            }
            case 'n' -> FailingJni.failAt(nth);
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
        List<Client> others = lab.neighbours(OTHERS);
        boolean fails = true;
        for (int n = 1; fails; n++) {
            nth = n;
            try (Client client = lab.client()) {
                client.say("sand goes on");
                fails = hasFailed(lab, client, "and goes on", others.get(0));
            }
            ServerLab.assertAreServed(others);
            lab.until(counts -> counts.open() == OTHERS);
            lab.assertNoProblem();
        }
        assertTrue(nth > 1, "calls: " + nth);
    }

    @EachMechanism
    void whoIsGivenWithBytesFailsAlone(ServerLab lab) throws Exception {
        FailingJni.needed();
        lab.serve(() -> this::serve);
        List<Client> others = lab.neighbours(OTHERS);
        boolean fails = true;
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ServerLab.loopback(0))) {
            for (int n = 1; fails; n++) {
                nth = n;
                assertEquals("n", ask(others.get(0), "n"));
                try (Client client = new Client(SocketChannel.open(listener.getLocalAddress()))) {
                    lab.server().adopt(listener.accept(), ServerLab.bytes("given"));
                    fails = hasFailed(lab, client, "given", others.get(0));
                }
                ServerLab.assertAreServed(others);
                lab.until(counts -> counts.open() == OTHERS);
                lab.assertNoProblem();
            }
        }
        assertTrue(nth > 1, "calls: " + nth);
    }
}
