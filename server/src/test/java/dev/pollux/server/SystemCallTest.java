// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.server.ServerLab.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** How many system calls requests cost on io_uring. They are counted, so it does not matter how busy the machine is. */
class SystemCallTest {
    private static final int CONNECTIONS = 64;

    private static double callsPerRequest(ServerStatistics before, ServerStatistics after) {
        return (double) (after.systemCalls() - before.systemCalls()) / (after.requests() - before.requests());
    }

    @EachMechanism
    void aPacedRequestCostsOne(ServerLab lab) throws Exception {
        assumeTrue(lab.isUring(), "the others read and write for each connection");
        lab.serve(() -> ServerLab::echo);
        Client client = lab.client();
        ServerStatistics before = lab.server().statistics();
        long next = System.nanoTime();
        for (int i = 0; i < 3000; i++) {
            client.say("x");
            client.assertHears("x");
            next += 333_333;
            LockSupport.parkNanos(next - System.nanoTime());
        }
        double calls = callsPerRequest(before, lab.server().statistics());
        assertTrue(calls <= 1.01, "system calls per request: " + calls);
    }

    /** Full load: whenever the server looks, each connection has asked. So its handler is held up until that is so. */
    @EachMechanism
    void atFullLoadManyRequestsShareOne(ServerLab lab) throws Exception {
        assumeTrue(lab.isUring(), "the others read and write for each connection");
        Semaphore allHaveAsked = new Semaphore(0);
        lab.serve(() -> (data, exchange) -> {
            if (ServerLab.letter(data) == 'w') {
                allHaveAsked.acquire();
            }
            ServerLab.echoConsumed(data, exchange);
        });
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(lab.client());
        }
        ask(clients, allHaveAsked);
        ServerStatistics before = lab.server().statistics();
        for (int round = 0; round < 200; round++) {
            ask(clients, allHaveAsked);
        }
        double calls = callsPerRequest(before, lab.server().statistics());
        assertTrue(calls <= 0.35, "system calls per request: " + calls);
    }

    private static void ask(List<Client> clients, Semaphore allHaveAsked) throws Exception {
        clients.get(0).say("w");
        for (Client client : clients.subList(1, clients.size())) {
            client.say("x");
        }
        allHaveAsked.release();
        for (Client client : clients) {
            assertEquals(1, client.hear(1).length());
        }
    }
}
