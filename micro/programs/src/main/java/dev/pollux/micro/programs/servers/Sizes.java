// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.servers;

/** The bytes of every request and of every reply. */
record Sizes(int request, int reply) {
    /** A number that comes back. */
    static final int LEAST = Long.BYTES;

    /** Fits into any socket's empty buffer. */
    static final int MOST = 4096;
}
