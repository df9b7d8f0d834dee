// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.util.stream.Stream;

/** The mechanisms of arenas that work here. */
public final class ArenaMechanisms {
    private ArenaMechanisms() {
    }

    public static Stream<String> here() {
        assertNull(Startup.outcome().failure());
        return Stream.of(Arena.mechanisms().split(",")).filter(ArenaMechanisms::works);
    }

    /** Kernels and sandboxes may be without io_uring. */
    private static boolean works(String mechanism) {
        try {
            Arena.open(mechanism, 0, 0).close();
            return true;
        } catch (IOException e) {
            assertEquals("io_uring", mechanism);
            return false;
        }
    }
}
