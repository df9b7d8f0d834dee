// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** A key that makes its selector spin is named, once, with the reason. What else happens meanwhile does not hide it. */
@Tag("beyond-jdk")
@Tag("load")
class SpinningKeyTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    /** Several examinations. */
    private static final long SOME_TIME = TimeUnit.MILLISECONDS.toNanos(800);

    private Warnings warnings;

    @BeforeEach
    void listen() {
        assumeFalse(Descriptors.WINDOWS, "nothing tells what an application has read and written");
        warnings = new Warnings();
    }

    @AfterEach
    void listenNoMore() {
        if (warnings != null) {
            warnings.close();
        }
    }

    @EachProvider
    void aKeyThatIsLeftSelected(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        SelectionKey key = tcp.near().register(selector, OP_READ);
        Io.send(tcp.far());
        assertNamed(selector, () -> selector.select(), key, "left in the set of selected keys", "ready OP_READ",
                " 1 bytes unread");
    }

    @EachProvider
    void interestInWritingThatIsLeftOn(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        SelectionKey key = tcp.near().register(selector, OP_READ | OP_WRITE, new BitSet());
        Io.send(tcp.near());
        assertNamed(selector, () -> selectAndClear(selector), key, "interest in writing was left on",
                "interest OP_READ|OP_WRITE, ready OP_WRITE", "attachment java.util.BitSet", " 0 bytes unread");
    }

    @EachProvider
    void theEndOfAStreamThatIsIgnored(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        SelectionKey key = tcp.near().register(selector, OP_READ);
        tcp.far().shutdownOutput();
        assertNamed(selector, () -> selector.select(ready -> read(tcp.near())), key, "the stream has ended",
                "interest OP_READ, ready OP_READ, attachment null, 0 bytes unread");
    }

    @EachProvider
    void dataThatAreNotRead(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        SelectionKey key = tcp.near().register(selector, OP_READ);
        tcp.far().write(ByteBuffer.allocate(1234));
        assertNamed(selector, () -> selectAndClear(selector), key, "data has arrived that is not read",
                " 1234 bytes unread");
    }

    @EachProvider
    void aConnectionThatIsNotFinished(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel channel = lab.provider().openSocketChannel();
        try (channel; var listener = lab.listener()) {
            channel.configureBlocking(false);
            assumeTrue(!channel.connect(listener.getLocalAddress()), "it was connected at once");
            SelectionKey key = channel.register(selector, OP_CONNECT);
            assertNamed(selector, () -> selectAndClear(selector), key, "interest in connecting was left on");
        }
    }

    @EachProvider
    void aPipeWhoseWriterHasGone(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue(), "kqueue does not report that a pipe has hung up before it is read empty");
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        pipe.sink().close();
        assertNamed(selector, () -> selectAndClear(selector), key, "data has arrived that is not read", " 1 bytes");
    }

    @EachProvider
    void oneKeyAmongThirtyBusyOnes(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system selects too seldom to be suspected");
        Selector selector = lab.selector();
        for (int i = 0; i < 30; i++) { // more than one examination looks at
            Connection busy = lab.tcp();
            busy.far().configureBlocking(false); // what was written is sent when this thread selects again, perhaps
            busy.near().register(selector, OP_WRITE, busy);
        }
        SelectionKey key = lab.tcp().near().register(selector, OP_WRITE, new BitSet());
        ByteBuffer oneByte = ByteBuffer.allocateDirect(1);
        long end = System.nanoTime() + LONG;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            selector.select(ready -> {
                if (ready.attachment() instanceof Connection busy) {
                    write(busy.near(), oneByte.clear());
                    read(busy.far());
                }
            });
        }
        assertMessages(key, "interest in writing was left on", "attachment java.util.BitSet");
    }

    @EachProvider
    void anotherKeyIsNamedToo(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey first = lab.tcp().near().register(selector, OP_WRITE);
        assertNamed(selector, () -> selectAndClear(selector), first);
        SelectionKey second = lab.tcp().near().register(selector, OP_WRITE);
        long end = System.nanoTime() + LONG;
        while (warnings.messages().size() < 2 && System.nanoTime() < end) {
            selectAndClear(selector);
        }
        assertEquals(2, warnings.messages().size());
        assertTrue(warnings.messages().get(1).contains(second.channel().toString()), warnings.messages().get(1));
        assertEquals(2, SelectorInsight.statistics(selector).count(Counter.SPINS));
    }

    /** Spins until a key is named and for some time after that. */
    private void assertNamed(Selector selector, Io.Step selection, SelectionKey key, String... words)
            throws Exception {
        long end = System.nanoTime() + LONG;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            selection.run();
        }
        end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            selection.run();
        }
        assertMessages(key, words);
        assertEquals(1, SelectorInsight.statistics(selector).count(Counter.SPINS));
    }

    private void assertMessages(SelectionKey key, String... words) throws Exception {
        List<String> messages = warnings.messages();
        assertEquals(1, messages.size(), messages.toString());
        assertTrue(messages.get(0).contains(Descriptors.shownName(key.channel())), messages.toString());
        assertTrue(messages.get(0).contains('"' + Thread.currentThread().getName() + '"'), messages.toString());
        for (String word : words) {
            assertTrue(messages.get(0).contains(word), messages.toString());
        }
    }

    private static void selectAndClear(Selector selector) throws Exception {
        selector.select();
        selector.selectedKeys().clear();
    }

    private static void read(SocketChannel channel) {
        try {
            channel.read(ByteBuffer.allocate(16));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) {
        try {
            channel.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
