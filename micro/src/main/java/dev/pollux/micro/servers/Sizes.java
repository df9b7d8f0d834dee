// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.nio.ByteBuffer;

/** The bytes of every request and of every reply. */
record Sizes(int request, int reply) {
    /** A number that comes back. */
    static final int LEAST = Long.BYTES;

    /** Fits into any socket's empty buffer. */
    static final int MOST = 4096;

    /** Where nobody asks for others. */
    static final Sizes USUAL = new Sizes(64, 64);

    /** {@return room for a request or a reply, for one thread} */
    ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(Math.max(request, reply));
    }
}
