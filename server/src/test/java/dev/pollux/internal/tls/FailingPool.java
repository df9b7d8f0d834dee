// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** A pool that has no memory for one buffer, or from that one on, and that notices a buffer that comes back twice. */
public final class FailingPool extends BufferPool {
    private final Set<ByteBuffer> taken = Collections.newSetFromMap(new IdentityHashMap<>());

    /** What has come back, also from who had it of another pool. */
    private final Set<ByteBuffer> back = Collections.newSetFromMap(new IdentityHashMap<>());

    private final boolean recovers;
    private int left;
    private boolean hasFailed;

    /**
     * One that fails.
     *
     * @param n        the buffer that it has no memory for; 1 is the first
     * @param recovers whether there is memory for later ones
     */
    public FailingPool(int n, boolean recovers) {
        left = n;
        this.recovers = recovers;
    }

    @Override
    public synchronized ByteBuffer take(int bytes) {
        left--;
        if (left == 0 || left < 0 && !recovers) {
            hasFailed = true;
            throw new OutOfMemoryError("on purpose");
        }
        ByteBuffer buffer = super.take(bytes);
        taken.add(buffer);
        back.remove(buffer);
        return buffer;
    }

    @Override
    public synchronized void giveBack(ByteBuffer buffer) {
        if (buffer != null && !back.add(buffer)) {
            throw new IllegalStateException("a buffer comes back twice");
        }
        taken.remove(buffer);
        super.giveBack(buffer);
    }

    public synchronized boolean hasFailed() {
        return hasFailed;
    }

    /** How many buffers are out. */
    public synchronized int out() {
        return taken.size();
    }
}
