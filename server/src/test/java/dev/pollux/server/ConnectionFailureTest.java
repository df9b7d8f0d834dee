// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.lab.Job;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** Connections, and their handles, in situations that are rare. */
class ConnectionFailureTest {
    private final BlockingQueue<Connection> opened = new LinkedBlockingQueue<>();
    private final BlockingQueue<CloseReason> closed = new LinkedBlockingQueue<>();

    /** Remembers what begins and ends. */
    private class Recorder implements ConnectionHandler {
        @Override
        public void onOpen(Exchange exchange) {
            opened.add(exchange.connection());
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            ServerLab.echo(data, exchange);
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            closed.add(reason);
        }
    }

    private CloseReason reason() throws InterruptedException {
        return closed.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
    }

    @EachMechanism
    void repliesAreDroppedWhenTheOutputIsShutDown(ServerLab lab) throws Exception {
        lab.serve(Recorder::new);
        Client client = lab.client();
        client.say("1");
        client.assertHears("1");
        opened.take().shutdownOutput();
        client.assertIsClosed();
        client.say("2");
        client.say("3");
        client.channel.shutdownOutput();
        assertEquals(CloseReason.PEER, reason());
        lab.assertNoProblem();
    }

    /** A round has room for a number of orders, and requests take what they may have. */
    @Tag("load")
    @EachMechanism
    void aFloodOfRequestsLeavesRoomForGreetings(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> new Recorder() {
            @Override
            public void onOpen(Exchange exchange) {
                exchange.send(ServerLab.bytes("hi"));
            }

            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                data.get();
                exchange.send(ByteBuffer.allocateDirect(1));
            }
        }).maxConnections(4));
        Client flood = lab.client();
        Job<Boolean> flooding = lab.start(() -> {
            ByteBuffer many = ByteBuffer.allocate(1 << 16);
            try {
                while (flood.channel.write(many.clear()) > 0) {
                    // and more
                }
            } catch (IOException e) {
                // it is closed
            }
            return true;
        });
        ByteBuffer replies = ByteBuffer.allocate(1 << 16);
        for (int i = 0; i < 50; i++) {
            flood.channel.read(replies.clear());
            try (Client greeted = lab.client()) {
                greeted.assertHears("hi");
            }
        }
        flood.close();
        assertTrue(flooding.result());
    }

    /** Their descriptors are counted by the workbench. */
    @EachMechanism
    void whatIsOnItsWayWhenTheServerEndsIsClosed(ServerLab lab) throws Exception {
        for (int i = 0; i < 20; i++) {
            lab.serve(lab.anywhere(Recorder::new).loops(3));
            List<Client> clients = new ArrayList<>();
            for (int k = 0; k < 12; k++) {
                clients.add(lab.client());
            }
            lab.server().close();
            for (Client each : clients) {
                each.assertIsClosed();
            }
        }
    }

    @EachMechanism
    void aFailedHandshakeIsNoConnectionOfTheHandler(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(Recorder::new).tls(TlsLab.context(true)));
        Client client = lab.client();
        client.say("this is not TLS");
        client.hear(1000);
        lab.until(counts -> counts.open() == 0 && counts.closedFailed() == 1);
        lab.server().close();
        assertEquals(0, opened.size());
        assertEquals(0, closed.size());
    }

    /** Then the system does not tell it as it tells that of others. */
    @EachMechanism
    void theAddressOfWhoResetsItsConnectionIsTold(ServerLab lab) throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"));
        lab.serve(Recorder::new);
        for (int i = 0; i < 20; i++) {
            Client client = lab.client();
            SocketAddress own = client.channel.getLocalAddress();
            client.reset();
            Problem problem = lab.problem();
            assertEquals(Place.CONNECTION, problem.place());
            assertEquals(own, problem.peer(), problem::toString);
            assertEquals(CloseReason.FAILED, reason());
        }
    }

    /** From Linux 6.17 on, a multishot receive misses an end that comes together with the last bytes. */
    @EachMechanism
    void theEndOfAUnixDomainStreamIsSeen(ServerLab lab) throws Exception {
        Path folder = Files.createTempDirectory("end");
        Path path = folder.resolve("s");
        lab.serve(lab.at(UnixDomainSocketAddress.of(path), Recorder::new));
        for (int i = 0; i < 300; i++) {
            try (SocketChannel client = SocketChannel.open(lab.server().address())) {
                client.write(ByteBuffer.allocate(1000));
                client.shutdownOutput();
                assertEquals(CloseReason.PEER, reason());
            }
        }
        lab.server().close();
        Files.delete(folder);
    }

    /** Many threads ask for more than a round has room for. */
    @EachMechanism
    void handlesMayBePausedAndResumedWithoutALimit(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(Recorder::new).maxConnections(2));
        Client client = lab.client();
        client.say("1");
        client.assertHears("1");
        Connection connection = opened.take();
        List<Job<Boolean>> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(lab.start(() -> {
                for (int k = 0; k < 50_000; k++) {
                    connection.pause();
                    connection.resume();
                }
                return true;
            }));
        }
        for (Job<Boolean> job : jobs) {
            job.result();
        }
        client.say("2");
        client.assertHears("2");
        lab.assertNoProblem();
    }
}
