// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

/**
 * What a mechanism is given with a registration and echoes with each event of it: the descriptor in the lower half, a
 * generation in the upper one. The generation tells a registration from earlier ones of the same number. Stateless. No
 * allocation.
 */
public final class Cookie {
    private Cookie() {
    }

    public static long of(int fd, int generation) {
        return (long) generation << Integer.SIZE | Integer.toUnsignedLong(fd);
    }

    public static int fd(long cookie) {
        return (int) cookie;
    }

    public static int generation(long cookie) {
        return (int) (cookie >>> Integer.SIZE);
    }
}
