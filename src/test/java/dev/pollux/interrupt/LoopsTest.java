// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.InterruptServer;
import dev.pollux.interrupt.InterruptLab.Client;
import dev.pollux.lab.Job;
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

/** Several loops, and sockets of the Unix domain. */
class LoopsTest {
    private static final int LOOPS = 3;

    /** Clients connect until each loop has one. */
    private static List<Client> clientsOfAllLoops(InterruptLab lab, Set<Thread> seen) throws Exception {
        List<Client> clients = new ArrayList<>();
        for (long end = System.nanoTime() + InterruptLab.PATIENCE; seen.size() < LOOPS;) {
            assertTrue(System.nanoTime() < end, "connections of " + seen);
            Client client = lab.client();
            client.say("x");
            client.assertHears("x");
            clients.add(client);
        }
        return clients;
    }

    @EachMechanism
    void connectionsAreSpreadOverTheLoops(InterruptLab lab) throws Exception {
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        lab.serve(lab.anywhere(() -> (data, from) -> {
            seen.add(Thread.currentThread());
            return InterruptLab.all(data);
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
    void eachLoopHasAHandlerOfItsOwn(InterruptLab lab) throws Exception {
        Set<Object> handlers = ConcurrentHashMap.newKeySet();
        lab.serve(lab.anywhere(() -> {
            Object own = new Object();
            handlers.add(own);
            return (data, from) -> InterruptLab.all(data);
        }).loops(LOOPS));
        assertEquals(LOOPS, handlers.size());
    }

    @EachMechanism
    void socketsOfTheUnixDomainAreServed(InterruptLab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        Path path = folder.resolve("socket");
        BlockingQueue<SocketChannel> slow = new LinkedBlockingQueue<>();
        try {
            InterruptServer server = lab.serve(lab.at(UnixDomainSocketAddress.of(path),
                    () -> (data, from) -> data.get(data.position()) == 's' ? null : InterruptLab.all(data))
                    .loops(LOOPS).slowPath((channel, unread) -> slow.add(channel), Runnable::run));
            assertEquals(UnixDomainSocketAddress.of(path), server.address());
            for (int i = 0; i < 10; i++) {
                Client client = lab.client();
                client.say("what I say");
                client.assertHears("what I say");
                client.say("s");
                SocketChannel channel = lab.opened(slow.take());
                channel.write(InterruptLab.bytes("slow"));
                client.assertHears("slow");
                assertEquals(UnixDomainSocketAddress.of(path), channel.getLocalAddress());
                lab.server().adopt(channel, InterruptLab.bytes("back "));
                client.say("again");
                client.assertHears("back again");
            }
        } finally {
            Files.deleteIfExists(path);
            Files.delete(folder);
        }
    }
}
