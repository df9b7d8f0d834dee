// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Bytes that stay where and as they are until they are released, so that they are sent without being copied.
 *
 * <p>Released memory may still be on its way to a peer. It is collected, and when that is worth it a <em>fence</em> is
 * put behind what each loop has ordered to be sent. When all fences are passed, the memory is free.
 *
 * <p>Safe for use by many threads. Memory comes in large blocks, so that {@link #contains}, which every reply in direct
 * memory asks, has few to look at.
 */
final class ResidentMemory {
    private static final int BLOCK = 1 << 20;
    private static final int ALIGNMENT = 64;

    private record Extent(long address, int length) {
        long end() {
            return address + length;
        }
    }

    private final int loops;

    /** By address. They do not touch each other. */
    private final NavigableMap<Long, ByteBuffer> blocks = new TreeMap<>();

    /** The first address of each block and the first one behind it, ascending. No two are the same. */
    private volatile long[] bounds = {};

    /** What is free, twice; none touches another one. */
    private final NavigableMap<Long, Extent> freeByAddress = new TreeMap<>();
    private final NavigableSet<Extent> freeBySize =
            new TreeSet<>(Comparator.comparingInt(Extent::length).thenComparingLong(Extent::address));

    /** By address. */
    private final Map<Long, Extent> used = new TreeMap<>();

    /** Released since the last fence, and before it. */
    private List<Extent> released = new ArrayList<>();
    private List<Extent> fenced = new ArrayList<>();

    private long releasedBytes;

    /** Loops that have not passed the fence. */
    private int fences;

    /** Memory that this number of loops sends from. */
    ResidentMemory(int loops) {
        this.loops = loops;
    }

    /** A buffer that has a copy of these bytes. */
    synchronized ByteBuffer copyOf(ByteBuffer bytes) {
        int length = bytes.remaining();
        int needed = Math.toIntExact(Math.max(1, (length + ALIGNMENT - 1L) / ALIGNMENT) * ALIGNMENT);
        Extent fit = freeBySize.ceiling(new Extent(0, needed));
        if (fit == null) {
            addBlock(Math.max(BLOCK, needed));
            fit = freeBySize.ceiling(new Extent(0, needed));
        }
        remove(fit);
        if (fit.length > needed) {
            add(new Extent(fit.address + needed, fit.length - needed));
        }
        used.put(fit.address, new Extent(fit.address, needed));
        Map.Entry<Long, ByteBuffer> block = blocks.floorEntry(fit.address);
        int from = (int) (fit.address - block.getKey());
        return block.getValue().slice(from, length).put(bytes.duplicate()).flip().asReadOnlyBuffer();
    }

    private void addBlock(int size) {
        // The bytes behind the end keep blocks apart.
        ByteBuffer block = ByteBuffer.allocateDirect(Math.addExact(size, ALIGNMENT));
        long from = DirectMemory.address(block);
        long[] more = Arrays.copyOf(bounds, bounds.length + 2);
        more[bounds.length] = from;
        more[bounds.length + 1] = from + size;
        blocks.put(from, block);
        add(new Extent(from, size));
        Arrays.sort(more);
        bounds = more;
    }

    /** Takes a copy's place back: whether each loop is to put a fence behind what it sends ({@link #onFencePassed}). */
    synchronized boolean release(ByteBuffer copy) {
        Extent extent = copy.isDirect() ? used.remove(DirectMemory.address(copy)) : null;
        if (extent == null) {
            throw new IllegalArgumentException("not resident in this server, or released before: " + copy);
        }
        released.add(extent);
        releasedBytes += extent.length;
        return isFenceDue();
    }

    /** A loop has sent what it had to send before its fence. Returns what {@link #release} does. */
    synchronized boolean onFencePassed() {
        if (--fences > 0) {
            return false;
        }
        fenced.forEach(this::free);
        fenced.clear();
        return isFenceDue();
    }

    private boolean isFenceDue() {
        if (fences > 0 || releasedBytes < BLOCK) {
            return false;
        }
        List<Extent> empty = fenced;
        fenced = released;
        released = empty;
        releasedBytes = 0;
        fences = loops;
        return true;
    }

    /** Joins it to its neighbours. */
    private void free(Extent extent) {
        Map.Entry<Long, Extent> before = freeByAddress.floorEntry(extent.address);
        Extent after = freeByAddress.get(extent.end());
        long from = extent.address;
        long to = extent.end();
        if (before != null && before.getValue().end() == from) {
            from = before.getKey();
            remove(before.getValue());
        }
        if (after != null) {
            to = after.end();
            remove(after);
        }
        add(new Extent(from, (int) (to - from)));
    }

    private void add(Extent free) {
        freeByAddress.put(free.address, free);
        freeBySize.add(free);
    }

    private void remove(Extent free) {
        freeByAddress.remove(free.address);
        freeBySize.remove(free);
    }

    boolean contains(long address) {
        int found = Arrays.binarySearch(bounds, address);
        return found % 2 == 0; // a block's first address, or -2, -4, ...: the next bound is where a block ends
    }
}
