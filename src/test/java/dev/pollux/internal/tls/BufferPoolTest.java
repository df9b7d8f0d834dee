// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private final BufferPool pool = new BufferPool();

    @Test
    void capacitiesArePowersOfTwo() {
        assertEquals(1 << 10, pool.take(0).capacity());
        assertEquals(1 << 10, pool.take(1 << 10).capacity());
        assertEquals(1 << 11, pool.take((1 << 10) + 1).capacity());
        assertEquals(1 << 21, pool.take((1 << 20) + 1).capacity());
        assertThrows(IllegalArgumentException.class, () -> pool.take(Integer.MAX_VALUE));
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
        ByteBuffer[] buffers = new ByteBuffer[5];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = pool.take(1 << 20);
        }
        for (ByteBuffer buffer : buffers) {
            pool.giveBack(buffer);
        }
        for (int i = 3; i >= 0; i--) {
            assertSame(buffers[i], pool.take(1 << 20));
        }
        assertNotSame(buffers[4], pool.take(1 << 20));
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
