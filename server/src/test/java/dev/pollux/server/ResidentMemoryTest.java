// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerLab.Client;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

class ResidentMemoryTest {
    private static final int LARGE = 3_000_000;
    private static final int MEBI = 1 << 20;

    private volatile ByteBuffer page;

    private StreamServer serve(ServerLab lab, int loops) throws Exception {
        return lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.letter(data);
            exchange.send(page);
        }).loops(loops).maxPending(100 * LARGE));
    }

    private static ByteBuffer filled(char letter, int length) {
        return ServerLab.bytes(String.valueOf(letter).repeat(length));
    }

    /** Has every loop that serves this client take its tasks, and tell what has come of them. */
    private static void twoTurns(Client... clients) throws Exception {
        for (Client each : clients) {
            for (int i = 0; i < 3; i++) {
                each.say("?");
                each.assertHears("page");
            }
        }
    }

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getTotalCapacity).sum();
    }

    @EachMechanism
    void whatIsReleasedIsUsedAgain(ServerLab lab) throws Exception {
        StreamServer server = serve(lab, 1);
        page = server.resident(ServerLab.bytes("page"));
        Client client = lab.client();
        twoTurns(client);
        Random random = new Random(1);
        List<ByteBuffer> pages = new ArrayList<>();
        long before = directMemory();
        for (int i = 0; i < 3000; i++) {
            pages.add(server.resident(filled((char) ('a' + i % 26), 1 + random.nextInt(200_000))));
            if (pages.size() > 20) {
                server.release(pages.remove(random.nextInt(pages.size())));
            }
            if (i % 10 == 0) {
                twoTurns(client);
            }
        }
        long more = directMemory() - before;
        assertTrue(more < 30 * MEBI, more + " bytes");
        for (ByteBuffer each : pages) {
            assertEquals(filled((char) each.get(0), each.remaining()), each, "others were written over it");
        }
    }

    @EachMechanism
    void whatIsBeingSentStaysAsItIs(ServerLab lab) throws Exception {
        StreamServer server = serve(lab, 2);
        page = server.resident(filled('A', LARGE));
        Client slow = lab.client();
        slow.say("???");
        lab.until(counts -> counts.requests() >= 1);
        Thread.sleep(20);
        ByteBuffer first = page;
        page = server.resident(filled('p', LARGE));
        server.release(first);
        for (int i = 0; i < 10; i++) {
            ByteBuffer other = server.resident(filled('B', LARGE));
            server.release(other);
            Thread.sleep(2);
        }
        slow.assertHears("A".repeat(LARGE));
        String rest = slow.hear(2 * LARGE);
        assertTrue(rest.replaceAll("A+p*|p+", "").isEmpty(), "something else was sent");
    }

    @EachMechanism
    void aCallThatHasBegunMayStillSendIt(ServerLab lab) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        StreamServer server = lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ByteBuffer found = page;
            ServerLab.letter(data);
            begun.countDown();
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            exchange.send(found);
        }).maxPending(LARGE));
        page = server.resident(filled('A', LARGE));
        Client client = lab.client();
        client.say("?");
        begun.await();
        server.release(page);
        server.resident(filled('B', LARGE));
        goesOn.countDown();
        client.assertHears("A".repeat(LARGE));
    }

    @EachMechanism
    void connectionsThatEndHoldNothing(ServerLab lab) throws Exception {
        StreamServer server = serve(lab, 1);
        ByteBuffer small = server.resident(ServerLab.bytes("page"));
        long memory = directMemory();
        for (int i = 0; i < 30; i++) {
            page = server.resident(filled('A', LARGE));
            long before = server.statistics().requests();
            Client leaves = lab.client();
            leaves.say("???");
            lab.until(counts -> counts.requests() > before);
            server.release(page);
            leaves.reset();
            lab.until(counts -> counts.open() == 0);
            page = small;
            try (Client client = lab.client()) {
                twoTurns(client);
            }
            lab.until(counts -> counts.open() == 0);
        }
        long more = directMemory() - memory;
        assertTrue(more < 10L * LARGE, more + " bytes");
    }

    @EachMechanism
    void onlyWhatIsResidentCanBeReleased(ServerLab lab) throws Exception {
        StreamServer server = serve(lab, 1);
        ByteBuffer resident = server.resident(ServerLab.bytes("page"));
        ByteBuffer empty = server.resident(ByteBuffer.allocate(0));
        ByteBuffer other = lab.serve(() -> ServerLab::echo).resident(ServerLab.bytes("page"));
        for (ByteBuffer wrong : List.of(ServerLab.bytes("page"), ByteBuffer.allocateDirect(4), other,
                resident.duplicate().position(1).slice())) {
            assertThrows(IllegalArgumentException.class, () -> server.release(wrong));
        }
        server.release(resident.duplicate().position(2));
        server.release(empty);
        assertThrows(IllegalArgumentException.class, () -> server.release(resident));
        server.close();
        server.release(server.resident(filled('A', LARGE)));
        server.release(server.resident(filled('A', LARGE)));
    }
}
