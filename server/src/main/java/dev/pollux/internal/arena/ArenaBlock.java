// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.arena;

import dev.pollux.internal.jni.ArenaNatives;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The block that an arena's memory lies in. Handlers get slices of that memory and may keep them, for any time and any
 * thread. So the block outlives the arena, until nothing can reach the buffer nor a slice, all of which refer to it.
 *
 * <p>Safe for use by many threads. No thread waits for that: opening an arena frees what is unreachable. On
 * Linux a closed arena's block takes addresses only, its pages are given back at once.
 */
final class ArenaBlock extends PhantomReference<ByteBuffer> {
    private static final ReferenceQueue<ByteBuffer> UNREACHABLE = new ReferenceQueue<>();

    /** A reference that is itself unreachable is never queued. */
    private static final Set<ArenaBlock> ALL = ConcurrentHashMap.newKeySet();

    /** Where it is: what closing the arena has returned; 0 before. */
    volatile long address;

    /** That which an open arena's memory shows. */
    ArenaBlock(ByteBuffer memory) {
        super(memory, UNREACHABLE);
        ALL.add(this);
    }

    static int count() {
        return ALL.size();
    }

    /** Frees all that nothing can reach any more. An arena that was not closed keeps its own. */
    static void freeUnreachable() {
        for (Reference<?> each = UNREACHABLE.poll(); each != null; each = UNREACHABLE.poll()) {
            ArenaBlock block = (ArenaBlock) each;
            ALL.remove(block);
            if (block.address != 0) {
                ArenaNatives.free(block.address);
            }
        }
    }
}
