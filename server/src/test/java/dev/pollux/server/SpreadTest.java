// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections that go to the loop with the fewest, and threads that are pinned. */
class SpreadTest {
    private static final int[] LOOPS = {2, 4};
    private static final int CLIENTS = 200;

    /** How many connections have begun in each thread. */
    private final Map<Thread, AtomicInteger> begun = new ConcurrentHashMap<>();

    /** Echoes lines, and counts connections. */
    private final class LineEcho implements ConnectionHandler {
        @Override
        public void onOpen(Exchange exchange) {
            begun.computeIfAbsent(Thread.currentThread(), thread -> new AtomicInteger()).incrementAndGet();
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            while (data.hasRemaining()) {
                if (data.get() == '\n') {
                    ServerLab.echoConsumed(data, exchange);
                    return;
                }
            }
            exchange.awaitMore();
        }
    }

    private StreamServerBuilder lines(ServerLab lab, int loops) {
        begun.clear();
        return lab.anywhere(LineEcho::new).loops(loops);
    }

    private static List<Client> clients(ServerLab lab, int count) throws Exception {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(lab.client());
        }
        return clients;
    }

    /**
     * A connection stays where it was accepted if that loop has no more than a sixteenth and one more than the lightest
     * one. Else it goes to the lightest one, which each other loop may choose at the same moment: one more for each.
     * A loop's number may be wrong by one while it moves one, both in what is compared and in what it is compared with.
     */
    private void assertIsSpread(int loops) {
        List<Integer> counts = begun.values().stream().map(AtomicInteger::get).toList();
        assertEquals(loops, counts.size(), counts::toString);
        int least = Collections.min(counts);
        assertTrue(Collections.max(counts) <= least + least / 16 + loops + 3, counts::toString);
    }

    private void assertAllAreServedAndSpread(ServerLab lab, int loops) throws Exception {
        List<Client> clients = clients(lab, CLIENTS);
        for (int i = 0; i < CLIENTS; i++) {
            clients.get(i).say("client " + i + "\n");
        }
        for (int i = 0; i < CLIENTS; i++) {
            clients.get(i).assertHears("client " + i + "\n");
        }
        assertIsSpread(loops);
        lab.until(counts -> counts.open() == CLIENTS && counts.accepted() == CLIENTS);
        lab.assertNoProblem();
    }

    @EachMechanism
    void connectionsOfOneClientAreSpreadEvenly(ServerLab lab) throws Exception {
        for (int loops : LOOPS) {
            lab.serve(lines(lab, loops));
            assertAllAreServedAndSpread(lab, loops);
            lab.server().close();
        }
    }

    @EachMechanism
    void soAreThoseOfTheUnixDomain(ServerLab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        try {
            for (int loops : LOOPS) {
                Path path = folder.resolve("socket" + loops);
                begun.clear();
                lab.serve(lab.at(UnixDomainSocketAddress.of(path), LineEcho::new).loops(loops));
                assertAllAreServedAndSpread(lab, loops);
                lab.server().close();
                Files.deleteIfExists(path);
            }
        } finally {
            Files.delete(folder);
        }
    }

    @EachMechanism
    void whatIsSaidAtOnceMovesToo(ServerLab lab) throws Exception {
        for (int loops : LOOPS) {
            lab.serve(lines(lab, loops));
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Client client = lab.client();
                client.say("client " + i + "\n");
                clients.add(client);
            }
            for (int i = 0; i < CLIENTS; i++) {
                clients.get(i).assertHears("client " + i + "\n");
            }
            assertIsSpread(loops);
            lab.assertNoProblem();
            lab.server().close();
        }
    }

    @EachMechanism
    void soDoSingleBytes(ServerLab lab) throws Exception {
        for (int loops : LOOPS) {
            lab.serve(lines(lab, loops));
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Client client = lab.client();
                for (String letter : "line\n".split("")) {
                    client.say(letter);
                }
                clients.add(client);
            }
            for (Client client : clients) {
                client.assertHears("line\n");
            }
            lab.assertNoProblem();
            lab.server().close();
        }
    }

    /** A request has a limit, what comes together has none. */
    @EachMechanism
    void moreThanOneRequestMoves(ServerLab lab) throws Exception {
        String said = "line\n".repeat(200);
        for (int loops : LOOPS) {
            lab.serve(lines(lab, loops).maxRequest(5));
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Client client = lab.client();
                client.say(said);
                clients.add(client);
            }
            for (Client client : clients) {
                client.assertHears(said);
            }
            lab.assertNoProblem();
            lab.server().close();
        }
    }

    @EachMechanism
    void resetsOnTheWayAreFailuresOfTheirConnectionsOnly(ServerLab lab) throws Exception {
        for (int loops : LOOPS) {
            lab.serve(lines(lab, loops));
            for (int i = 0; i < CLIENTS; i++) {
                Client client = lab.client();
                client.say("line\n");
                client.reset();
            }
            // Twice: loops are counted one after the other, and one may have moved behind the counting.
            lab.until(counts -> counts.accepted() == CLIENTS && counts.open() == 0);
            lab.until(counts -> counts.open() == 0);
            lab.assertNoProblemBut(Place.CONNECTION);
            begun.clear();
            for (Client client : clients(lab, CLIENTS)) {
                client.say("line\n");
                client.assertHears("line\n");
            }
            assertIsSpread(loops);
            lab.server().close();
        }
    }

    /** The processors that the calling thread may run on. */
    private static String processors() throws Exception {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:")).findAny().orElseThrow().split("\\s+")[1];
    }

    /** For each loop of a server. */
    private static Map<Thread, String> processors(ServerLab lab, int loops, boolean isPinned) throws Exception {
        Map<Thread, String> seen = new ConcurrentHashMap<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            seen.put(Thread.currentThread(), processors());
            ServerLab.echo(data, exchange);
        }).loops(loops).pinned(isPinned));
        for (int i = 0; seen.size() < loops; i++) {
            assertTrue(i < CLIENTS, seen::toString);
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
        }
        lab.server().close();
        return seen;
    }

    @EachMechanism
    void aPinnedThreadHasAProcessorOfItsOwn(ServerLab lab) throws Exception {
        assumeTrue(Descriptors.PROC, "nothing tells the processors of a thread here");
        int all = Runtime.getRuntime().availableProcessors();
        for (int loops : new int[] {1, 2, 4}) {
            Map<Thread, String> pinned = processors(lab, loops, true);
            pinned.values().forEach(each -> assertTrue(each.matches("[0-9]+"), pinned::toString));
            assertEquals(Math.min(loops, all), new HashSet<>(pinned.values()).size(), pinned::toString);
            Map<Thread, String> free = processors(lab, loops, false);
            for (String each : free.values()) {
                assertEquals(processors(), each, "after a server that was pinned");
            }
        }
        assertFalse(all > 1 && processors().matches("[0-9]+"), "the test's own thread is pinned");
    }
}
