// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.lab.Virtual;
import dev.pollux.server.ServerLab.Client;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;

/** The slow path on virtual threads (JDK 21 and later). */
class VirtualSlowPathTest {
    private static final int CONNECTIONS = 50;

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachMechanism
    void virtualThreadsWaitForTheirConnections(ServerLab lab) throws Exception {
        ExecutorService threads =
                (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        lab.opened(threads::shutdownNow);
        lab.serve(lab.anywhere(() -> ServerLab::echoUnlessSlow).slowPath((channel, unread) -> {
            ByteBuffer bytes = ByteBuffer.allocate(5).put(unread);
            while (bytes.hasRemaining()) {
                channel.read(bytes); // parks
            }
            lab.server().adopt(channel, bytes.position(1));
        }, threads));
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(lab.client());
            clients.get(i).say("s");
        }
        lab.until(counts -> counts.slowPath() == CONNECTIONS);
        for (Client client : clients) {
            client.say("back");
            client.assertHears("back");
        }
        lab.assertNoProblem();
    }
}
