// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

/**
 * What a mechanism is given with a registration and echoes with each event of it: the descriptor in the lower half, a
 * generation in the upper one. The generation tells a registration from earlier ones of the same number.
 *
 * <p>Stateless. No allocation.
 */
final class Cookie {
    private Cookie() {
    }

    static long of(int fd, int generation) {
        return (long) generation << Integer.SIZE | Integer.toUnsignedLong(fd);
    }

    static int fd(long cookie) {
        return (int) cookie;
    }

    static int generation(long cookie) {
        return (int) (cookie >>> Integer.SIZE);
    }
}
