// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;

/** How connections and servers end. */
class ClosingTest {
    private static final long SOON = 20;

    /** So many that malloc(3) asks the system for the arena's memory, and gives it back when it is freed. */
    private static final int MANY = 100_000;

    private final BlockingQueue<Reply> deferred = new LinkedBlockingQueue<>();

    private void defer(ByteBuffer data, Exchange exchange) {
        ServerLab.skip(data);
        deferred.add(exchange.defer());
    }

    @EachMechanism
    void closingFromAHandlerSendsTheReplyFirst(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            exchange.close();
            ServerLab.letter(data);
            exchange.send(ServerLab.bytes("bye"));
        });
        Client client = lab.client();
        client.say("?not handled");
        client.assertHears("bye");
        client.assertIsClosed();
        lab.until(counts -> counts.closedByHandler() == 1 && counts.requests() == 1 && counts.open() == 0);
    }

    @EachMechanism
    void aRequestThatIsNotCompleteMayCloseToo(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            if (ServerLab.letter(data) == 'x') {
                exchange.close();
                exchange.awaitMore();
            } else {
                ServerLab.echoConsumed(data, exchange);
            }
        });
        Client client = lab.client();
        client.say("yx");
        assertEquals("y", client.hear(2));
        lab.until(counts -> counts.closedByHandler() == 1 && counts.incomplete() == 0 && counts.open() == 0);
    }

    @EachMechanism
    void aPeerThatShutsDownItsSideGetsWhatIsOwed(ServerLab lab) throws Exception {
        ByteBuffer large = ByteBuffer.allocate(3_000_000);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.letter(data);
            exchange.send(large);
        }).maxPending(2 * large.capacity()));
        Client client = lab.client();
        client.say("?");
        client.channel.shutdownOutput();
        assertEquals(large.capacity(), client.hear(large.capacity() + 1).length());
        lab.until(counts -> counts.closedByPeer() == 1 && counts.open() == 0);
    }

    @EachMechanism
    void aGracefulCloseWaitsForDeferredReplies(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> this::defer);
        Client owed = lab.client();
        Client idle = lab.client();
        owed.say("?");
        Reply reply = deferred.take();
        Job<Boolean> closing = lab.start(() -> {
            server.close(SOON, TimeUnit.SECONDS);
            return true;
        });
        idle.assertIsClosed();
        assertTrue(server.isOpen());
        reply.send(ServerLab.bytes("done"));
        owed.assertHears("done");
        owed.assertIsClosed();
        assertTrue(closing.result());
        assertFalse(server.isOpen());
    }

    @EachMechanism
    void aGracefulCloseEndsAtItsDeadline(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> this::defer);
        Client client = lab.client();
        client.say("?");
        Reply reply = deferred.take();
        server.close(1, TimeUnit.MILLISECONDS);
        client.assertIsClosed();
        reply.send(ServerLab.bytes("too late"));
        assertEquals(0, server.statistics().open());
    }

    @EachMechanism
    void aSecondCloseMayBringTheDeadlineForward(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> this::defer);
        Client client = lab.client();
        client.say("?");
        deferred.take();
        Job<Boolean> graceful = lab.start(() -> {
            server.close(1, TimeUnit.HOURS);
            return true;
        });
        server.close();
        assertTrue(graceful.result());
        client.assertIsClosed();
        server.close();
    }

    @EachMechanism
    void aClosedServerAcceptsNobody(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> ServerLab::echo);
        lab.client();
        server.close();
        assertThrows(IOException.class, () -> SocketChannel.open(server.address()).close());
        assertTrue(server.toString().contains(lab.mechanism()));
        lab.serve(lab.at(server.address(), () -> ServerLab::echo));
        Client client = lab.client();
        client.say("again");
        client.assertHears("again");
    }

    @EachMechanism
    void aHandlerMayCloseTheServer(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            lab.server().close();
            ServerLab.echo(data, exchange);
        });
        Client client = lab.client();
        client.say("x");
        client.assertIsClosedAfter("x");
        for (long end = System.nanoTime() + ServerLab.PATIENCE; lab.server().isOpen();) {
            assertTrue(System.nanoTime() < end, "should have ended");
            Thread.sleep(1);
        }
    }

    /** It must not be used any more. But who uses it must not bring the virtual machine down, nor write elsewhere. */
    @EachMechanism
    void whatAHandlerHasKeptOutlivesTheServer(ServerLab lab) throws Exception {
        BlockingQueue<ByteBuffer> kept = new LinkedBlockingQueue<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            kept.addAll(List.of(data, data.slice(), data.duplicate()));
            ServerLab.echo(data, exchange);
        }).maxConnections(MANY));
        Client client = lab.client();
        client.say("what I say");
        client.assertHears("what I say");
        lab.server().close();
        System.gc();
        for (ByteBuffer each : kept) {
            each.clear().put(new byte[each.capacity()]);
        }
        assertEquals(3, kept.size());
    }

    @EachMechanism
    void theFileOfAUnixDomainAddressIsDeleted(ServerLab lab, @TempDir Path folder) throws Exception {
        Path path = folder.resolve("socket");
        for (int loops = 1; loops < 3; loops++) {
            lab.serve(lab.at(UnixDomainSocketAddress.of(path), () -> ServerLab::echo).loops(loops));
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
            assertTrue(Files.exists(path));
            lab.server().close();
            assertFalse(Files.exists(path));
        }
    }

    @EachMechanism
    void aFileThatAnotherHasMadeThereIsNot(ServerLab lab, @TempDir Path folder) throws Exception {
        Path path = folder.resolve("socket");
        StreamServer server = lab.serve(lab.at(UnixDomainSocketAddress.of(path), () -> ServerLab::echo));
        Files.delete(path);
        StreamServer other = lab.serve(lab.at(UnixDomainSocketAddress.of(path), () -> ServerLab::echo));
        server.close();
        Client client = lab.client();
        client.say("x");
        client.assertHears("x");
        other.close();
        Files.createFile(path);
        server.close();
        other.close();
        assertTrue(Files.exists(path));
    }

    @EachMechanism
    void whoIsInterruptedDoesNotWait(ServerLab lab) throws Exception {
        StreamServer server = lab.serve(() -> ServerLab::echo);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> server.close(SOON, TimeUnit.SECONDS));
        assertFalse(Thread.interrupted());
        server.close();
        assertFalse(server.isOpen());
    }
}
