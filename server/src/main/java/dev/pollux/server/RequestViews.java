// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Shows handlers received bytes, and nothing before or behind them: whatever a handler does to its buffer stays within
 * its request.
 *
 * <p>A buffer's capacity can't be changed. So there is a buffer for each length that has come, which is moved to where
 * the bytes are. Two lengths that share a place take turns, and each change allocates a buffer; that needs a request of
 * {@link #PLACES} bytes or more.
 *
 * <p>For the loop's thread. Allocation: none for a length that came before.
 */
final class RequestViews {
    /** The size of a receive buffer: what lies in one has a place of its own for each length. */
    private static final int PLACES = 4096;

    private final ByteBuffer memory;
    private final ByteBuffer[] views = new ByteBuffer[PLACES];

    RequestViews(ByteBuffer memory) {
        this.memory = memory;
    }

    /** A buffer of the bytes at this place of the memory, as if it were new. It is gone with the next one. */
    ByteBuffer of(int from, int length) {
        int place = length % PLACES;
        ByteBuffer view = views[place];
        if (view == null || view.capacity() != length) {
            view = memory.slice(from, length);
            views[place] = view;
            return view;
        }
        DirectMemory.move(view, memory, from);
        return view.clear().order(ByteOrder.BIG_ENDIAN);
    }
}
