// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a connection was ordered to send and the system has not taken yet, the oldest first: how long each order is,
 * and the buffer that has its bytes, if it is to be given back. A ring of two arrays, so that it allocates nothing once
 * it is large enough.
 *
 * <p>For the loop's thread.
 */
final class Flights {
    private static final int MIN = 4;

    private int[] lengths = new int[MIN];
    private ByteBuffer[] buffers = new ByteBuffer[MIN];
    private int first;
    private int count;
    private long ordered;

    int count() {
        return count;
    }

    /** The next {@link #add} will not allocate. */
    void makeRoom() {
        if (count == lengths.length) {
            grow();
        }
    }

    void add(int length, ByteBuffer buffer) {
        makeRoom();
        ordered += length;
        int at = (first + count++) & (lengths.length - 1);
        lengths[at] = length;
        buffers[at] = buffer;
    }

    private void grow() {
        int[] longer = Arrays.copyOf(lengths, 2 * count);
        ByteBuffer[] more = Arrays.copyOf(buffers, 2 * count);
        System.arraycopy(lengths, 0, longer, count, first);
        System.arraycopy(buffers, 0, more, count, first);
        lengths = longer;
        buffers = more;
    }

    /** Bytes of all that were ever here. */
    long ordered() {
        return ordered;
    }

    int firstLength() {
        return lengths[first];
    }

    ByteBuffer take() {
        ByteBuffer buffer = buffers[first];
        buffers[first] = null;
        first = (first + 1) & (lengths.length - 1);
        count--;
        return buffer;
    }
}
