// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.startup.Startup;
import dev.pollux.lab.ArenaMechanisms;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How long an arena's memory stays. */
class ArenaBlockTest {
    /** So many that malloc(3) asks the system for the memory, and gives it back when it is freed. */
    private static final int CONNECTIONS = 100_000;

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    static Stream<String> mechanisms() {
        return ArenaMechanisms.here();
    }

    private static ByteBuffer sliceOfClosed(String mechanism) throws IOException {
        assertTrue(Startup.outcome().failure() == null);
        Arena arena = Arena.open(mechanism, CONNECTIONS, 0);
        ByteBuffer slice = arena.memory().slice().duplicate();
        arena.close();
        arena.close();
        return slice;
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void itStaysWhileAnySliceIsReachable(String mechanism) throws IOException {
        ByteBuffer slice = sliceOfClosed(mechanism);
        System.gc();
        ArenaBlock.freeUnreachable();
        while (slice.hasRemaining()) {
            slice.put((byte) 'x');
        }
        assertEquals('x', slice.get(0));
        Reference.reachabilityFence(slice);
    }

    /** Those of other tests are freed too, but none is opened meanwhile. */
    @ParameterizedTest
    @MethodSource("mechanisms")
    void itIsFreedAfterwards(String mechanism) throws Exception {
        sliceOfClosed(mechanism);
        int before = ArenaBlock.count();
        for (long end = System.nanoTime() + PATIENCE; ArenaBlock.count() >= before;) {
            assertTrue(System.nanoTime() < end, () -> "still there: " + ArenaBlock.count());
            System.gc();
            Thread.sleep(1);
            ArenaBlock.freeUnreachable();
        }
    }
}
