// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Io;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Out-of-band data (man 7 tcp, {@code SO_OOBINLINE}) are never reported, and must disturb nothing else. */
class OutOfBandTest {

    private static final long WAIT = 300;
    @EachProvider
    void anOutOfBandByteOnAnIdleChannelEndsNoSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        sendOutOfBand(connection, '!');
        assertSleeps(selector);
        assertEquals(0, key.readyOps());
        assertDiscarded(lab, 1, selector);
        send(connection, "abc");
        assertEquals("abc", receive(selector, connection.near(), 3));
        assertSleeps(selector);
        assertDiscarded(lab, 1, selector);
    }

    @EachProvider
    void eachOfSeveralOutOfBandBytesIsDropped(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        for (int i = 1; i <= 3; i++) {
            sendOutOfBand(connection, '0' + i);
            assertEquals(0, selector.select(50));
            assertDiscarded(lab, i, selector);
        }
        send(connection, "abc");
        assertEquals("abc", receive(selector, connection.near(), 3));
    }

    @EachProvider
    void outOfBandBytesAmongDataLoseNoneOfThem(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        for (int i = 1; i <= 5; i++) {
            send(connection, "abc");
            sendOutOfBand(connection, '!');
            send(connection, "def");
            Thread.sleep(20);
            assertEquals("abcdef", receive(selector, connection.near(), 6));
            assertEquals(0, selector.select(20));
            assertDiscarded(lab, i, selector);
        }
        assertSleeps(selector);
    }

    @EachProvider
    void dataBehindAnOutOfBandByteAreFound(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        sendOutOfBand(connection, '!');
        send(connection, "def");
        Thread.sleep(20);
        assertEquals("def", receive(selector, connection.near(), 3));
        assertSleeps(selector);
        assertDiscarded(lab, 1, selector);
    }

    @EachProvider
    void theEndOfAStreamIsFoundBehindAnOutOfBandByte(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().register(selector, OP_READ);
        sendOutOfBand(connection, '!');
        connection.far().shutdownOutput();
        assertEquals(1, selector.select());
        assertEquals(-1, connection.near().read(ByteBuffer.allocate(8)));
    }

    @EachProvider
    void anOutOfBandByteReceivedInlineIsData(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        connection.near().socket().setOOBInline(true);
        connection.near().register(selector, OP_READ);
        sendOutOfBand(connection, '!');
        assertEquals("!", receive(selector, connection.near(), 1));
        send(connection, "abc");
        sendOutOfBand(connection, '?');
        send(connection, "def");
        assertEquals("abc?def", receive(selector, connection.near(), 7));
        assertSleeps(selector);
        assertDiscarded(lab, 0, selector);
    }

    @EachProvider
    void anOutOfBandByteOnAKeyThatAsksForNothingEndsNoSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0); // which the mechanism may not be told
        sendOutOfBand(connection, '!');
        assertSleeps(selector);
        send(connection, "abc");
        assertSleeps(selector);
        key.interestOps(OP_READ);
        assertEquals("abc", receive(selector, connection.near(), 3));
    }

    @EachProvider
    void anOutOfBandByteMakesAWritableChannelNoMoreThanWritable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ | OP_WRITE);
        sendOutOfBand(connection, '!');
        for (int i = 0; i < 10; i++) {
            assertEquals(1, selector.select(selected -> assertEquals(OP_WRITE, selected.readyOps())));
        }
        assertEquals(OP_WRITE, key.readyOps());
        assertDiscarded(lab, 1, selector);
    }

    @EachProvider
    void otherChannelsAreServedBesideAnOutOfBandByte(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection outOfBand = lab.tcp();
        Lab.Connection other = lab.tcp();
        outOfBand.near().register(selector, OP_READ);
        SelectionKey key = other.near().register(selector, OP_READ);
        sendOutOfBand(outOfBand, '!');
        send(other, "abc");
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    private static void sendOutOfBand(Lab.Connection connection, int value) throws IOException {
        connection.far().socket().sendUrgentData(value);
    }

    private static void send(Lab.Connection connection, String text) throws IOException {
        connection.far().write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Reads as many bytes as were said to come, and only when they have been selected. */
    private static String receive(Selector selector, SocketChannel channel, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(64);
        while (buffer.position() < length) {
            selector.selectedKeys().clear();
            assertEquals(1, selector.select());
            assertTrue(channel.read(buffer) > 0, "a selected channel had nothing to read");
        }
        selector.selectedKeys().clear();
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
    }

    /** Counts selections for a while: one that waits to its end, and does not spend the time on the processor. */
    private static void assertSleeps(Selector selector) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT);
        int[] selections = new int[1];
        long cpu = Io.cpuMillisOf(() -> {
            for (long left = WAIT; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime() + 999_999)) {
                assertEquals(0, selector.select(left));
                selections[0]++;
            }
        });
        assertTrue(selections[0] <= 2, selections[0] + " selections in " + WAIT + " ms");
        assertTrue(cpu < WAIT / 3, "processor time of a sleeping selection: " + cpu + " ms");
    }

    /** The JDK's selectors do not tell. */
    private static void assertDiscarded(Lab lab, int expected, Selector selector) {
        if (!lab.providerName().startsWith("dev.pollux.")) {
            return;
        }
        long discarded = SelectorInsight.statistics(selector).count(Counter.OUT_OF_BAND_BYTES);
        assertEquals(lab.reportsOutOfBandData() ? expected : 0, discarded);
    }
}
