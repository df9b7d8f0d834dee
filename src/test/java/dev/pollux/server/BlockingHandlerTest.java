// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Warnings;
import dev.pollux.server.ServerLab.Client;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** What happens if a handler blocks, though it must not. */
class BlockingHandlerTest {
    private static final long LONG_SECONDS = 20;

    @EachMechanism
    void itHoldsUpItsLoopAndIsSeenFromOutside(ServerLab lab) throws Exception {
        BlockingQueue<Thread> blocked = new LinkedBlockingQueue<>();
        CountDownLatch goOn = new CountDownLatch(1);
        StreamServer server = lab.serve(() -> (data, exchange) -> {
            if (data.get(data.position()) == 'b') {
                blocked.add(Thread.currentThread());
                goOn.await();
            }
            ServerLab.echo(data, exchange);
        });
        Client other = lab.client();
        other.say("first");
        other.assertHears("first");
        Client client = lab.client();
        client.say("block");
        Thread loop = blocked.take();
        other.say("later");
        ServerStatistics before = server.statistics();
        Thread.sleep(50);
        assertEquals(before.batches(), server.statistics().batches());
        assertTrue(loop.getName().matches("pollux-server-\\d+-0"), loop.getName());
        assertTrue(Arrays.stream(loop.getStackTrace())
                .anyMatch(frame -> frame.getClassName().contains(BlockingHandlerTest.class.getSimpleName())));
        goOn.countDown();
        client.assertHears("block");
        other.assertHears("later");
    }

    /** Another connection of the loop waits meanwhile. */
    @EachMechanism
    void itIsSaidInTheLog(ServerLab lab) throws Exception {
        assumeTrue(!lab.mechanism().equals("poll"), "whether there are events can't be told");
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lab.serve(() -> (data, exchange) -> {
            if (data.get(data.position()) == 'b') {
                entered.countDown();
                goOn.await();
            }
            ServerLab.echo(data, exchange);
        });
        try (Warnings warnings = new Warnings()) {
            Client other = lab.client();
            other.say("first");
            other.assertHears("first");
            Client client = lab.client();
            client.say("block");
            entered.await();
            other.say("later");
            String said = warnings.await(LONG_SECONDS, "is blocked: it has not returned to its wait for ");
            assertTrue(said.contains("pollux-server-"), said);
            goOn.countDown();
            warnings.await(LONG_SECONDS, " goes on: it was blocked for ");
            client.assertHears("block");
            other.assertHears("later");
        } finally {
            goOn.countDown();
        }
    }

    @EachMechanism
    void otherLoopsGoOn(ServerLab lab) throws Exception {
        BlockingQueue<Thread> blocked = new LinkedBlockingQueue<>();
        CountDownLatch goOn = new CountDownLatch(1);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(data.position()) == 'b') {
                blocked.add(Thread.currentThread());
                goOn.await();
                ServerLab.echo(data, exchange);
                return;
            }
            ServerLab.skip(data);
            exchange.send(ServerLab.bytes(Thread.currentThread().getName().replaceAll(".*-", "")));
        }).loops(2));
        Client[] ofLoop = new Client[2];
        for (long end = System.nanoTime() + ServerLab.PATIENCE; ofLoop[0] == null || ofLoop[1] == null;) {
            assertTrue(System.nanoTime() < end, "a loop has got no connection");
            Client client = lab.client();
            client.say("which?");
            ofLoop[Integer.parseInt(client.hear(1))] = client;
        }
        ofLoop[0].say("b");
        blocked.take();
        for (int i = 0; i < 10; i++) {
            ofLoop[1].say("which?");
            ofLoop[1].assertHears("1");
        }
        goOn.countDown();
        ofLoop[0].assertHears("b");
    }
}
