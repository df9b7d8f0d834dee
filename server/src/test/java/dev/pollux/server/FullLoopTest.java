// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.lab.Job;
import dev.pollux.server.ServerLab.Client;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Loops that have as many connections as they may: what they hand over to each other is served. */
class FullLoopTest {
    private static final int PLACES = 4;
    private static final int TIMES = 200;

    private static boolean connectOftenBy(ServerLab lab) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            try (Client client = new Client(SocketChannel.open(lab.server().address()))) {
                client.say("x");
                client.assertHears("x");
                client.assertIsClosed();
            }
        }
        return true;
    }

    private static void assertAllAreServed(ServerLab lab, int clients) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.echo(data, exchange);
            exchange.close();
        }).loops(2).maxConnections(PLACES));
        List<Job<Boolean>> jobs = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            jobs.add(lab.start(() -> connectOftenBy(lab)));
        }
        for (Job<Boolean> each : jobs) {
            each.result();
        }
        ServerStatistics last = lab.until(counts -> counts.open() == 0);
        assertEquals((long) clients * TIMES, last.accepted());
        lab.assertNoProblem();
        lab.server().close();
    }

    @EachMechanism
    void whoComesWhenAllPlacesAreTakenWaits(ServerLab lab) throws Exception {
        assertAllAreServed(lab, 3 * PLACES);
    }

    @EachMechanism
    void fewerClientsThanPlacesAreServed(ServerLab lab) throws Exception {
        assertAllAreServed(lab, 2 * PLACES - 2);
    }
}
