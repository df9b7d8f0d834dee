// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Trusted;
import java.io.FileDescriptor;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Tag;

/** A channel's socket is replaced under its number and the key is reset: DatagramChannel.disconnect on macOS. */
@Tag("beyond-jdk")
class ResetTest {

    @EachProvider
    void aResetKeyIsReportedOncePerSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        for (int i = 0; i < 3; i++) {
            reset(key);
            Io.feed(pipe);
            assertOnce(selector, key);
            reset(key);
            assertOnce(selector, key);
            Io.drain(pipe.source());
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void aReplacedSocketIsReported(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        SelectionKey key = channel.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        for (int i = 0; i < 3; i++) {
            SocketAddress address = replaceSocket(lab, channel);
            reset(key);
            assertEquals(0, selector.wakeup().select());
            lab.datagram().send(ByteBuffer.allocate(1), address);
            assertOnce(selector, key);
            assertOnce(selector, key);
            channel.receive(ByteBuffer.allocate(8));
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void aReplacedSocketIsReportedInTheSelectionThatWaits(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        SelectionKey key = channel.register(selector, OP_READ);
        Job<Integer> waiting = lab.start(() -> {
            int n;
            do {
                n = selector.select(); // reset wakes it
            } while (n == 0);
            return n;
        });
        waiting.awaitSelecting();
        SocketAddress address = replaceSocket(lab, channel);
        reset(key);
        lab.datagram().send(ByteBuffer.allocate(1), address);
        assertEquals(1, waiting.result());
    }

    @EachProvider
    void aKeyThatWasResetCanBeChangedAndCancelled(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        SelectionKey key = channel.register(selector, OP_READ);
        reset(key);
        assertEquals(0, selector.selectNow());
        replaceSocket(lab, channel);
        reset(key);
        key.interestOps(OP_WRITE);
        assertOnce(selector, key);
        reset(key);
        key.cancel();
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
        SelectionKey again = channel.register(selector, OP_WRITE);
        assertOnce(selector, again);
    }

    @EachProvider
    void aResetSelectorSleeps(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        SelectionKey key = channel.register(selector, OP_WRITE);
        assertOnce(selector, key);
        replaceSocket(lab, channel);
        reset(key);
        key.interestOps(OP_READ);
        assertEquals(0, selector.selectNow());
        Io.assertSleeps(selector, 300);
    }

    private static void assertOnce(Selector selector, SelectionKey key) throws Exception {
        int[] times = new int[1];
        assertEquals(1, selector.select(selected -> {
            assertEquals(key, selected);
            times[0]++;
        }));
        assertEquals(1, times[0]);
    }

    private static void reset(SelectionKey key) throws Exception {
        Trusted.invoke(key.getClass().getDeclaredMethod("reset"), key);
    }

    /** Puts a new socket under the channel's descriptor, as a disconnect on macOS does; returns where it is bound. */
    private static SocketAddress replaceSocket(Lab lab, DatagramChannel channel) throws Exception {
        assumeFalse(Descriptors.WINDOWS, "Windows cannot put another socket under a number");
        try (DatagramChannel fresh = lab.provider().openDatagramChannel()) {
            fresh.bind(Lab.loopback(0)).configureBlocking(false);
            Object dispatcher = Trusted.get(channel.getClass().getDeclaredField("nd"));
            Method descriptor = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFD");
            Trusted.invoke(Class.forName("sun.nio.ch.NativeDispatcher")
                    .getDeclaredMethod("dup", FileDescriptor.class, FileDescriptor.class), dispatcher,
                    descriptor.invoke(fresh), descriptor.invoke(channel));
            return fresh.getLocalAddress();
        }
    }
}
