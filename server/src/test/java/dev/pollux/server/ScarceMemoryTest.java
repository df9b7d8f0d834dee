// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.ScarceMemory;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;

/**
 * There is no direct memory for what one connection needs, whatever it is for. That connection fails, and ten others
 * of the same loop are served meanwhile.
 */
class ScarceMemoryTest {
    private static final int OTHERS = 10;

    /** More than a loop keeps of what it has had before, and than an arena has room for. */
    private static final int LARGE = 20 << 20;

    private final BlockingQueue<ScarceMemory> scarce = new LinkedBlockingQueue<>();

    /** Memory is to be scarce from the next such request on: once, though a long one comes in several calls. */
    private final AtomicBoolean isDue = new AtomicBoolean();

    /** Each letter needs memory for something else; others are echoed. */
    private void serve(ByteBuffer data, Exchange exchange) throws Exception {
        char letter = (char) data.get(0);
        if (letter == 'e') {
            ServerLab.echo(data, exchange);
            return;
        }
        if (isDue.getAndSet(false)) {
            scarce.add(new ScarceMemory());
        }
        if (letter == 'l') { // a long request
            exchange.awaitMore();
            return;
        }
        ServerLab.skip(data);
        switch (letter) {
            case 'r' -> exchange.send(ByteBuffer.allocate(LARGE));
            case 'd' -> {
                Reply reply = exchange.defer();
                beside(() -> reply.send(ByteBuffer.allocate(LARGE)));
            }
            case 'p' -> { // may be pending
                Connection connection = exchange.connection();
                beside(() -> connection.send(ByteBuffer.allocate(LARGE)));
            }
            default -> throw new IllegalArgumentException(String.valueOf(letter));
        }
    }

    private static void beside(Runnable work) throws InterruptedException {
        Thread thread = new Thread(work);
        thread.start();
        thread.join();
    }

    /** Its bytes are taken as long as the connection lives. */
    private static void ask(Client client, char letter) {
        try {
            client.say(letter + (letter == 'l' ? "l".repeat(LARGE) : ""));
        } catch (IOException e) {
            return; // a reset
        }
    }

    private static long failures(ServerStatistics counts) {
        return counts.closedFailed() + counts.closedThrown();
    }

    private void assertEndsOneConnection(ServerLab lab, char letter, List<Client> others) throws Exception {
        long failed = failures(lab.server().statistics());
        Client client = lab.client();
        isDue.set(true);
        Thread asking = new Thread(() -> ask(client, letter));
        asking.start();
        ScarceMemory none = scarce.take();
        try {
            Problem problem = lab.problem();
            assertTrue(List.of(Place.CONNECTION, Place.HANDLER).contains(problem.place()), problem::toString);
            assertInstanceOf(OutOfMemoryError.class, problem.error(), problem::toString);
            ServerLab.assertAreServed(others);
        } finally {
            none.close();
        }
        asking.join();
        client.hearUntilTheEnd();
        lab.until(counts -> counts.open() == OTHERS && failures(counts) == failed + 1);
        lab.assertNoProblem();
        ServerLab.assertAreServed(others);
    }

    @Tag("load")
    @EachMechanism
    void aLackOfDirectMemoryEndsTheConnectionThatNeedsIt(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> this::serve).maxRequest(2 * LARGE).maxPending(2 * LARGE));
        List<Client> others = lab.neighbours(OTHERS);
        for (char letter : "rldp".toCharArray()) {
            assertEndsOneConnection(lab, letter, others);
        }
        assertEquals(0, lab.server().statistics().waiting());
    }
}
