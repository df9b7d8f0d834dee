// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private static final Path PAGES = Path.of("/proc/self/pagemap");
    private static final int PAGE = 4096;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final BufferPool pool = new BufferPool();

    @Test
    void capacitiesArePowersOfTwo() {
        assertEquals(1 << 10, pool.take(0).capacity());
        assertEquals(1 << 10, pool.take(1 << 10).capacity());
        assertEquals(1 << 11, pool.take((1 << 10) + 1).capacity());
        assertEquals(1 << 21, pool.take((1 << 20) + 1).capacity());
    }

    @Test
    void aBufferIsUsedAgain() {
        ByteBuffer buffer = pool.take(5000);
        assertNotSame(buffer, pool.take(5000));
        pool.giveBack(buffer.position(10).limit(20));
        assertSame(buffer, pool.take(8000));
        assertEquals(8192, buffer.remaining());
        pool.giveBack(null);
    }

    @Test
    void keepsAFewMegabytes() {
        ByteBuffer[] buffers = new ByteBuffer[9];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = pool.take(1 << 20);
        }
        for (ByteBuffer buffer : buffers) {
            pool.giveBack(buffer);
        }
        for (int i = 7; i >= 0; i--) {
            assertSame(buffers[i], pool.take(1 << 20));
        }
        assertNotSame(buffers[8], pool.take(1 << 20));
    }

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    /** Gives back as many mebibytes. */
    private static List<ByteBuffer> fill(BufferPool pool, int count) {
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            buffers.add(pool.take(1 << 20));
        }
        buffers.forEach(pool::giveBack);
        return buffers;
    }

    @Test
    void whatItDoesNotKeepGoesBackToTheSystemAtOnce() {
        Startup.outcome();
        long before = directMemory();
        fill(pool, 20);
        assertTrue(directMemory() <= before + (8 << 20), before + " before, then " + directMemory());
        pool.close();
        assertTrue(directMemory() <= before, before + " before, then " + directMemory());
        pool.giveBack(pool.take(1));
        assertTrue(directMemory() <= before, before + " before, then " + directMemory());
    }

    /** The C library keeps for itself what lies between others, unless it is told not to. */
    @Test
    void alsoWhatLiesBetweenOthers() throws IOException {
        assumeTrue(Files.exists(PAGES), "Linux alone says which pages are resident");
        Startup.outcome();
        List<ByteBuffer> freed = new ArrayList<>();
        List<ByteBuffer> others = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            freed.add(pool.take(1 << 16));
            others.add(pool.take(1 << 16));
        }
        pool.close();
        int pages = residentPages(freed);
        assumeTrue(pages == 100 * ((1 << 16) / PAGE - 1), "pages of another size, or emulated: " + pages);
        freed.forEach(pool::giveBack);
        int left = residentPages(freed); // some may have another use by now
        assertTrue(left < pages / 4, left + " are left of " + pages);
        others.forEach(pool::giveBack);
    }

    /** proc_pid_pagemap(5): 64 bits for each page, of which the highest tells. */
    private static int residentPages(List<ByteBuffer> buffers) throws IOException {
        int pages = 0;
        try (FileChannel map = FileChannel.open(PAGES)) {
            for (ByteBuffer each : buffers) {
                long first = (DirectMemory.address(each) + PAGE - 1) / PAGE;
                ByteBuffer entries = ByteBuffer.allocate((each.capacity() / PAGE - 1) * Long.BYTES);
                entries.order(ByteOrder.nativeOrder());
                map.read(entries, first * Long.BYTES);
                for (entries.flip(); entries.hasRemaining();) {
                    pages += entries.getLong() < 0 ? 1 : 0;
                }
            }
        }
        return pages;
    }

    @Test
    void whatNobodyNeedsForASecondDoesSoToo() {
        Startup.outcome();
        long before = directMemory();
        fill(pool, 4);
        assertEquals(SECOND, pool.nanosToWait());
        long now = System.nanoTime() + SECOND;
        pool.shrink(now);
        ByteBuffer needed = pool.take(1 << 20);
        pool.giveBack(needed);
        pool.shrink(now + SECOND - 1);
        pool.shrink(now + SECOND);
        assertTrue(directMemory() <= before + (1 << 20), before + " before, then " + directMemory());
        assertSame(needed, pool.take(1 << 20));
        assertEquals(Long.MAX_VALUE, pool.nanosToWait());
    }

    /** A handler may have kept a view of it. */
    @Test
    void plaintextStaysWhereItIs() {
        Startup.outcome();
        List<ByteBuffer> buffers = fill(pool.plaintext, 20);
        pool.close();
        for (ByteBuffer each : buffers) {
            each.clear().put(new byte[1 << 20]);
        }
        long used = directMemory();
        assertTrue(used >= 20 << 20, "so much is left: " + used);
        Reference.reachabilityFence(buffers);
    }

    @Test
    void countsWhatIsInUse() {
        int[] relieved = {0};
        BufferLimit limit = new BufferLimit(1 << 20, 1, () -> relieved[0]++);
        BufferPool limited = new BufferPool(limit);
        ByteBuffer buffer = limited.take(1 << 19);
        ByteBuffer text = limited.plaintext.take(1 << 19);
        assertEquals(1 << 20, limited.taken());
        assertEquals(0, limit.left());
        assertFalse(limit.isRelieved());
        limit.await();
        limited.moveTo(pool, buffer);
        assertEquals(1, relieved[0]);
        assertEquals(1 << 19, pool.taken());
        assertEquals(1 << 19, limit.left());
        pool.giveBack(buffer);
        limited.plaintext.giveBack(text);
        assertEquals(1 << 20, limit.left());
        assertEquals(0, limited.taken() + pool.taken());
        limit.await();
        assertEquals(2, relieved[0], "nothing need wait");
    }

    @Test
    void anEmptyBufferIsGivenBack() {
        ByteBuffer buffer = pool.take(1).limit(1);
        assertSame(buffer, pool.giveBackEmpty(buffer));
        assertNull(pool.giveBackEmpty(buffer.position(1)));
        assertSame(buffer, pool.take(1));
        assertNull(pool.giveBackEmpty(null));
    }

    @Test
    void whatIsLeftStaysAtTheBeginning() {
        ByteBuffer small = pool.extend(null, 1000).put(new byte[] {1, 2, 3}).flip();
        assertSame(small, pool.extend(small, 1021));
        small.put((byte) 4).flip();
        small.get();
        assertSame(small, pool.extend(small, 1021));
        small.put((byte) 5).flip();
        assertEquals(ByteBuffer.wrap(new byte[] {2, 3, 4, 5}), small);
        ByteBuffer larger = pool.extend(small, 1021).put((byte) 6).flip();
        assertEquals(ByteBuffer.wrap(new byte[] {2, 3, 4, 5, 6}), larger);
        assertSame(small, pool.take(1));
    }
}
