// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.InterruptStatistics;
import dev.pollux.interrupt.InterruptLab.Client;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;

/** How many system calls requests cost on io_uring. They are counted, so it does not matter how busy the machine is. */
class SystemCallTest {
    private static final int CONNECTIONS = 64;

    private static double callsPerRequest(InterruptStatistics before, InterruptStatistics after) {
        return (double) (after.systemCalls() - before.systemCalls()) / (after.requests() - before.requests());
    }

    @EachMechanism
    void aPacedRequestCostsOne(InterruptLab lab) throws Exception {
        assumeTrue(lab.isUring(), "the others read and write for each connection");
        lab.serve(() -> (data, from) -> InterruptLab.all(data));
        Client client = lab.client();
        InterruptStatistics before = lab.server().statistics();
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

    @EachMechanism
    void atFullLoadManyRequestsShareOne(InterruptLab lab) throws Exception {
        assumeTrue(lab.isUring(), "the others read and write for each connection");
        lab.serve(() -> (data, from) -> InterruptLab.all(data));
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel channel = lab.client().channel;
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
                channel.write(InterruptLab.bytes("x"));
            }
            InterruptStatistics before = lab.server().statistics();
            ByteBuffer bytes = ByteBuffer.allocateDirect(1);
            for (int heard = 0; heard < 50_000;) {
                heard += selector.select(key -> echo((SocketChannel) key.channel(), bytes));
            }
            double calls = callsPerRequest(before, lab.server().statistics());
            assertTrue(calls <= 0.35, "system calls per request: " + calls);
        }
    }

    private static void echo(SocketChannel channel, ByteBuffer bytes) {
        try {
            channel.read(bytes.clear());
            channel.write(bytes.flip());
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
