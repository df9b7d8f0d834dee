// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.Loops;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;

/** Several loops, and sockets of the Unix domain. */
class LoopsTest {
    private static final int LOOPS = 3;

    /** Clients connect until each loop has one. */
    private static List<Client> clientsOfAllLoops(ServerLab lab, Set<Thread> seen) throws Exception {
        List<Client> clients = new ArrayList<>();
        for (long end = System.nanoTime() + ServerLab.PATIENCE; seen.size() < LOOPS;) {
            assertTrue(System.nanoTime() < end, "connections of " + seen);
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
            clients.add(client);
        }
        return clients;
    }

    @EachMechanism
    void connectionsAreSpreadOverTheLoops(ServerLab lab) throws Exception {
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            seen.add(Thread.currentThread());
            ServerLab.echo(data, exchange);
        }).loops(LOOPS));
        List<Client> clients = clientsOfAllLoops(lab, seen);
        List<Job<Boolean>> talks = new ArrayList<>();
        for (Client client : clients) {
            talks.add(lab.start(() -> {
                for (int i = 0; i < 100; i++) {
                    client.say("what I say");
                    client.assertHears("what I say");
                }
                return true;
            }));
        }
        for (Job<Boolean> each : talks) {
            assertTrue(each.result());
        }
        assertEquals(LOOPS, seen.size());
        lab.until(counts -> counts.open() == clients.size() && counts.accepted() == clients.size());
    }

    @EachMechanism
    void eachLoopHasAHandlerOfItsOwn(ServerLab lab) throws Exception {
        Set<Object> handlers = ConcurrentHashMap.newKeySet();
        lab.serve(lab.anywhere(() -> {
            Object own = new Object();
            handlers.add(own);
            return ServerLab::echo;
        }).loops(LOOPS));
        assertEquals(LOOPS, handlers.size());
    }

    /** The best mechanism does not do for each, as with little RLIMIT_MEMLOCK. */
    @EachMechanism
    void allLoopsRunAlike(ServerLab lab) throws Exception {
        assumeTrue(lab.isUring(), "the others are there for all or for none");
        assumeTrue(System.getProperty("dev.pollux.server.mechanism") == null);
        try (Warnings warnings = new Warnings();
                Injection injection = Injection.failingOnce("io_uring_setup", "ENOMEM", LOOPS)) {
            StreamServer server = lab.serve(lab.anywhere(() -> ServerLab::echo)
                    .mechanism(null).loops(LOOPS));
            injection.calls();
            Set<String> mechanisms = Loops.open().stream().filter(loop -> loop.kind().equals("StreamServer"))
                    .map(Loop::mechanism).collect(Collectors.toSet());
            assertEquals(Set.of(server.mechanism()), mechanisms);
            assertNotEquals("io_uring", server.mechanism());
            for (String told : List.of(server.toString(), String.join(" ", warnings.messages()))) {
                assertTrue(told.contains(server.mechanism() + ": ") && told.contains("no io_uring: ")
                        && told.contains("2 of 3 loops"), told);
            }
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
        }
    }

    @EachMechanism
    void aMechanismThatIsNamedAndMissingSaysWhy(ServerLab lab) throws Exception {
        assumeTrue(lab.isUring(), "the others are there");
        try (Injection injection = Injection.failing("io_uring_setup", "EPERM")) {
            String message = assertThrows(IOException.class,
                    () -> lab.anywhere(() -> ServerLab::echo).start()).getMessage();
            injection.calls();
            assertTrue(message.contains("io_uring") && message.contains("a sandbox refuses it (EPERM)"), message);
        }
    }

    @EachMechanism
    void socketsOfTheUnixDomainAreServed(ServerLab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        Path path = folder.resolve("socket");
        BlockingQueue<SocketChannel> slow = new LinkedBlockingQueue<>();
        try {
            StreamServer server = lab.serve(lab.at(UnixDomainSocketAddress.of(path), () -> ServerLab::echoUnlessSlow)
                    .loops(LOOPS).slowPath((channel, unread) -> slow.add(channel), Runnable::run));
            assertEquals(UnixDomainSocketAddress.of(path), server.address());
            for (int i = 0; i < 10; i++) {
                Client client = lab.client();
                client.say("what I say");
                client.assertHears("what I say");
                client.say("s");
                SocketChannel channel = lab.opened(slow.take());
                channel.write(ServerLab.bytes("slow"));
                client.assertHears("slow");
                assertEquals(UnixDomainSocketAddress.of(path), channel.getLocalAddress());
                lab.server().adopt(channel, ServerLab.bytes("back "));
                client.say("again");
                client.assertHears("back again");
            }
        } finally {
            Files.deleteIfExists(path);
            Files.delete(folder);
        }
    }

    /** As at a limit of threads: the system refuses that of the last loop. */
    @EachMechanism
    void aServerThatCanNotStartAllItsThreadsLeavesNothing(ServerLab lab) throws Exception {
        ServerSettings settings = new ServerSettings();
        settings.address = ServerLab.loopback(0);
        settings.mechanism = lab.mechanism();
        settings.loops = LOOPS;
        settings.handlers = () -> ServerLab::echo;
        settings.errors = (place, error, peer) -> { };
        List<Loop> before = Loops.open();
        ServerLoops loops = new ServerLoops(settings);
        List<Thread> threads = new ArrayList<>();
        IOException thrown = assertThrows(IOException.class, () -> loops.start(loop -> {
            threads.add(threads.size() < LOOPS - 1 ? new Thread(loop) : new Thread(loop) {
                @Override
                public synchronized void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                }
            });
            return threads.get(threads.size() - 1);
        }));
        assertTrue(thrown.getMessage().startsWith("Starting the thread of loop 3 of 3: unable to create native thread"),
                thrown.getMessage());
        assertEquals(List.of(), Loops.open().stream().filter(each -> !before.contains(each)).toList());
        assertThrows(IOException.class, () -> SocketChannel.open(loops.address()));
        for (Thread each : threads) {
            each.join();
        }
    }
}
