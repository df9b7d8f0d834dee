// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.nio.ByteBuffer;
import sun.nio.ch.DirectBuffer;

/**
 * Where direct buffers are.
 *
 * <p>Stateless. Access to {@code sun.nio.ch} must have been gained.
 */
public final class DirectMemory {
    private DirectMemory() {
    }

    /** {@return the address of a direct buffer's first byte, whatever its position} */
    public static long address(ByteBuffer buffer) {
        return ((DirectBuffer) buffer).address();
    }
}
