// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Connections that do not get to the slow path. */
class HandOversTest {
    private static final int MANY = 100;

    /** Who hears of the failure opens another connection, which gets the number, and then there is no more memory. */
    @Test
    void aDescriptorThatWasClosedIsNotClosedAgain() throws Exception {
        Startup.outcome().require(null);
        List<SocketChannel> others = new ArrayList<>();
        try (SocketChannel unconnected = SocketChannel.open()) {
            int descriptor = ArenaNatives.duplicate(Descriptors.of(unconnected));
            ServerSettings settings = new ServerSettings();
            settings.errors = (place, error, peer) -> {
                openUntil(descriptor, others);
                throw new OutOfMemoryError("in a test");
            };
            HandOvers handOvers = new HandOvers(settings, new SocketChannels(ServerLab.loopback(0), Map.of()));
            assertThrows(OutOfMemoryError.class, () -> handOvers.handOver(descriptor, new byte[0], null));
            SocketChannel successor = others.get(others.size() - 1);
            assumeTrue(Descriptors.of(successor) == descriptor, "another thread has opened something");
            assertFalse(successor.getOption(StandardSocketOptions.SO_KEEPALIVE));
        } finally {
            for (SocketChannel each : others) {
                each.close();
            }
        }
    }

    private static void openUntil(int descriptor, List<SocketChannel> others) {
        try {
            int last = -1;
            while (last != descriptor && others.size() < MANY) {
                others.add(SocketChannel.open());
                last = Descriptors.of(others.get(others.size() - 1));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
