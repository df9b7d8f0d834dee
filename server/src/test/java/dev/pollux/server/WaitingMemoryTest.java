// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.lab.ScarceMemory;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;

/** The memory of what waits for peers that do not read. */
class WaitingMemoryTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int PART = 4000;

    /** More than the system takes for a peer that does not read. */
    private static final int LARGE = 20_000_000;

    /** How far a limit may be exceeded: a message, buffers that are not full, and what loops have not counted yet. */
    private static final int EXCESS = 2 * MEBIBYTE;

    private final Recorder recorder = new Recorder(ServerLab::echo);

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    /** Until the system takes nothing more, and the connection accepts nothing. */
    private static void fill(Connection connection) throws InterruptedException {
        ByteBuffer some = ByteBuffer.allocate(30_000);
        for (int refused = 0; refused < 5;) {
            if (connection.send(some)) {
                refused = 0;
            } else {
                refused++;
                Thread.sleep(10);
            }
        }
    }

    private static void hear(Client client, long length) throws IOException {
        ByteBuffer some = ByteBuffer.allocate(1 << 16);
        for (long left = length; left > 0;) {
            int read = client.channel.read(some.clear().limit((int) Math.min(some.capacity(), left)));
            assertTrue(read > 0, "the end came with bytes left: " + left);
            left -= read;
        }
    }

    @Tag("load")
    @EachMechanism
    void isGivenBackToTheSystemWhenTheyHaveGone(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder).loops(2));
        List<Client> slow = new ArrayList<>();
        long before = directMemory();
        for (int i = 0; i < 20; i++) {
            slow.add(lab.client());
            fill(recorder.opened.take());
        }
        assertTrue(lab.server().statistics().waiting() >= 20 * MEBIBYTE, lab.server().statistics().toString());
        assertTrue(directMemory() >= before + 20 * MEBIBYTE);
        for (Client each : slow) {
            each.close();
        }
        lab.until(counts -> counts.waiting() == 0);
        for (long end = System.nanoTime() + ServerLab.PATIENCE; directMemory() > before + MEBIBYTE;) {
            assertTrue(System.nanoTime() < end, directMemory() + " instead of " + before);
            Thread.sleep(10);
        }
        lab.assertNoProblemBut(Place.CONNECTION);
    }

    @Tag("load")
    @EachMechanism
    void hasALimitForAllOfThemAndOthersGoOn(ServerLab lab) throws Exception {
        int limit = 8 * MEBIBYTE;
        lab.serve(lab.anywhere(() -> recorder).loops(2).maxWaiting(limit)
                .option(StandardSocketOptions.SO_SNDBUF, 4096));
        for (int i = 0; i < 30; i++) {
            lab.client();
            fill(recorder.opened.take());
            long waiting = lab.server().statistics().waiting();
            assertTrue(waiting < limit + EXCESS, "so much waits: " + waiting);
        }
        assertTrue(lab.server().statistics().waiting() > limit / 3, "they were refused too early");
        Client reading = lab.client();
        Connection connection = recorder.opened.take();
        for (int i = 0; i < 100; i++) {
            assertTrue(connection.send(ServerLab.bytes("news")));
            reading.assertHears("news");
            reading.say("said");
            reading.assertHears("said");
        }
        lab.assertNoProblem();
    }

    /** What a connection takes beyond its bytes, others miss. */
    @EachMechanism
    void isSharedByThoseThatAreSentTheSame(ServerLab lab) throws Exception {
        int limit = 8 * MEBIBYTE;
        lab.serve(lab.anywhere(() -> recorder).loops(2).maxWaiting(limit)
                .option(StandardSocketOptions.SO_SNDBUF, 4096));
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lab.client();
            all.add(recorder.opened.take());
        }
        ByteBuffer message = ByteBuffer.allocate(4000);
        long share = 145_000; // a sixteenth of the limit, by the third power of what 20 times as much leaves
        lab.until(counts -> all.stream().filter(each -> each.send(message)).count() == 0
                && all.stream().allMatch(each -> each.pending() > share * 4 / 5));
        lab.assertNoProblem();
    }

    /** Many come one after another, and do not read; so they give nothing back. */
    @Tag("load")
    @EachMechanism
    void isLeftForWhoComesLast(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder).maxWaiting(32 * MEBIBYTE)
                .option(StandardSocketOptions.SO_SNDBUF, 4096));
        for (int i = 0; i < 100; i++) {
            lab.opened(narrow()).connect(lab.server().address());
            fillAtOnce(recorder.opened.take());
        }
        Client last = lab.client();
        sendTwice(lab, recorder.opened.take());
        last.hear(2 * PART);
        lab.assertNoProblem();
    }

    @Tag("load")
    @EachMechanism
    void isLeftForWhoComesLastWithTls(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder).maxWaiting(32 * MEBIBYTE)
                .option(StandardSocketOptions.SO_SNDBUF, 4096).tls(TlsLab.context(true)));
        for (int i = 0; i < 60; i++) {
            lab.opened(new TlsClient(narrow(), lab.server().address(), "TLSv1.3", true)).socket.startHandshake();
            fillAtOnce(recorder.opened.take());
        }
        TlsClient last = TlsClient.of(lab, "TLSv1.3");
        last.socket.startHandshake();
        sendTwice(lab, recorder.opened.take());
        assertEquals(2 * PART, last.socket.getInputStream().readNBytes(2 * PART).length);
        lab.assertNoProblem();
    }

    /** For a peer whose system takes next to nothing. */
    private static Socket narrow() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        return socket;
    }

    /** While something of it waits, too. */
    private static void sendTwice(ServerLab lab, Connection connection) {
        ByteBuffer part = ByteBuffer.allocate(PART);
        for (int i = 0; i < 2; i++) {
            assertTrue(connection.send(part), () -> lab.server().statistics().toString());
        }
    }

    private static void fillAtOnce(Connection connection) {
        ByteBuffer some = ByteBuffer.allocate(1 << 16);
        for (boolean isAccepted = true; isAccepted;) {
            isAccepted = connection.send(some);
        }
    }

    @EachMechanism
    void thosePeersHearWhenThereIsSomeAgain(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder).loops(2).maxWaiting(MEBIBYTE));
        Client slow = lab.client();
        Connection full = recorder.opened.take();
        assertTrue(full.send(ByteBuffer.allocate(LARGE)), "nothing waits, so it is accepted");
        lab.client();
        lab.client();
        List<Connection> others = List.of(recorder.opened.take(), recorder.opened.take());
        for (Connection each : others) {
            assertFalse(each.send(ServerLab.bytes("no room")));
            assertFalse(each.send(ServerLab.bytes("no room")));
            assertTrue(each.isOpen());
        }
        assertTrue(recorder.writable.isEmpty());
        hear(slow, LARGE);
        List<Connection> told = List.of(recorder.writable.take(), recorder.writable.take());
        assertTrue(told.containsAll(others), told.toString());
        for (Connection each : others) {
            assertTrue(each.send(ServerLab.bytes("room")));
        }
        lab.until(counts -> counts.waiting() == 0);
        assertTrue(recorder.writable.isEmpty());
        lab.assertNoProblem();
    }

    @EachMechanism
    void isLimitedWithTlsToo(ServerLab lab) throws Exception {
        int limit = 8 * MEBIBYTE;
        lab.serve(lab.anywhere(() -> recorder).maxWaiting(limit).maxPending(LARGE).tls(TlsLab.context(true)));
        for (int i = 0; i < 3; i++) {
            TlsClient client = TlsClient.of(lab, "TLSv1.3");
            client.socket.startHandshake();
            fill(recorder.opened.take());
            long waiting = lab.server().statistics().waiting();
            assertTrue(waiting > limit / 32 && waiting < limit + EXCESS, "so much waits: " + waiting);
        }
        lab.server().close();
        assertEquals(0, lab.server().statistics().waiting());
    }

    /** Not that one whose handler sends. */
    @EachMechanism
    void isMissedByTheConnectionAloneThatIsSentSomething(ServerLab lab) throws Exception {
        Recorder sender = new Recorder((data, exchange) -> {
            if (data.get(0) == 's') {
                ScarceMemory none = new ScarceMemory();
                try {
                    assertFalse(recorder.opened.take().send(ByteBuffer.allocate(LARGE)));
                } finally {
                    none.close();
                }
            }
            ServerLab.echo(data, exchange);
        });
        lab.serve(() -> recorder);
        Client victim = lab.client();
        StreamServer first = lab.server();
        lab.serve(() -> sender);
        Client client = lab.client();
        client.say("say it");
        client.assertHears("say it");
        assertThrows(IOException.class, () -> victim.hear(LARGE));
        assertEquals(CloseReason.FAILED, recorder.reasons.take());
        Problem problem = lab.problem();
        assertEquals(Place.CONNECTION, problem.place());
        assertEquals(OutOfMemoryError.class, problem.error().getClass());
        assertEquals(victim.channel.getLocalAddress(), problem.peer());
        client.say("and again");
        client.assertHears("and again");
        assertEquals(0, first.statistics().open());
        assertEquals(0, first.statistics().waiting());
        lab.assertNoProblem();
    }

    /** What is sent during a call of the handler is encrypted when that returns. The other connection goes on. */
    @EachMechanism
    void isMissedByThatConnectionAloneBehindACall(ServerLab lab) throws Exception {
        BlockingQueue<ScarceMemory> scarce = new LinkedBlockingQueue<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(0) == 'f') {
                Connection connection = exchange.connection();
                exchange.send(ServerLab.bytes("reply"));
                Thread other = new Thread(() -> {
                    connection.send(ByteBuffer.allocate(1024));
                    connection.send(ByteBuffer.allocate(400_000));
                });
                other.start();
                other.join();
                scarce.add(new ScarceMemory());
                ServerLab.skip(data);
            } else {
                ServerLab.echo(data, exchange);
            }
        }).tls(TlsLab.context(true)));
        TlsClient healthy = TlsClient.of(lab, "TLSv1.3");
        TlsClient failing = TlsClient.of(lab, "TLSv1.3");
        failing.socket.startHandshake();
        assertEchoes(healthy);
        failing.socket.getOutputStream().write('f');
        ScarceMemory none = scarce.take();
        Problem problem;
        try {
            problem = lab.problem();
        } finally {
            none.close();
        }
        assertEquals(Place.CONNECTION, problem.place());
        assertEquals(OutOfMemoryError.class, problem.error().getCause().getClass());
        assertThrows(IOException.class, () -> failing.socket.getInputStream().readNBytes(500_000));
        assertEchoes(healthy);
        lab.until(counts -> counts.closedFailed() == 1 && counts.waiting() == 0);
        lab.assertNoProblem();
    }

    private static void assertEchoes(TlsClient client) throws IOException {
        client.socket.getOutputStream().write(new byte[] {'h', 'i'});
        assertEquals("hi", new String(client.socket.getInputStream().readNBytes(2), StandardCharsets.US_ASCII));
    }
}
