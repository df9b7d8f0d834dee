// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Keys that want to write for a short time, as most programs set and clear {@code OP_WRITE} for each reply. */
class WriteInterestTest {

    private static final int ROUNDS = 100;

    @EachProvider
    @Tag("beyond-jdk")
    void aShortWishToWriteTellsTheKernelNothing(Lab lab) throws Exception {
        lab.needsOneShot();
        Selector selector = lab.selector();
        Connection link = lab.tcp();
        SelectionKey key = watched(link, selector);
        try (Injection watch = Injection.watching(lab.changeCall() + ",?poll,ppoll")) {
            for (int i = 0; i < ROUNDS; i++) {
                reply(selector, key);
                Io.drain(link.far());
            }
            List<String> calls = watch.calls();
            assertTrue(calls.size() <= ROUNDS, calls.size() + " calls");
            assertTrue(calls.stream().noneMatch(call -> call.startsWith(lab.changeCall())), calls::toString);
        }
    }

    @EachProvider
    @Tag("beyond-jdk")
    void manyKeysAreAskedAtOnce(Lab lab) throws Exception {
        lab.needsOneShot();
        Selector selector = lab.selector();
        List<SelectionKey> keys = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            keys.add(lab.tcp().near().register(selector, OP_READ));
        }
        assertEquals(0, selector.selectNow());
        try (Injection watch = Injection.watching(lab.changeCall() + ",?poll,ppoll")) {
            keys.forEach(key -> key.interestOps(OP_WRITE));
            assertEquals(ROUNDS, selector.select());
            keys.forEach(key -> key.interestOps(OP_READ));
            selector.selectedKeys().clear();
            assertEquals(0, selector.selectNow());
            int calls = watch.calls().size();
            assertTrue(calls <= 2, calls + " calls"); // 64 at a time
        }
    }

    @EachProvider
    void whoeverStillWantsToWriteIsReportedAgain(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(OP_WRITE);
        for (int i = 0; i < ROUNDS; i++) {
            assertEquals(1, selector.select());
            assertTrue(key.isWritable());
            selector.selectedKeys().clear();
        }
    }

    @EachProvider
    void aFullSocketIsReportedWhenItHasRoom(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection link = lab.tcp();
        SelectionKey key = watched(link, selector);
        for (int i = 0; i < 10; i++) {
            reply(selector, key);
            do { // the peer's window grows meanwhile
                selector.selectedKeys().clear();
                Io.fill(link.near());
                key.interestOps(OP_WRITE);
            } while (selector.selectNow() != 0);
            lab.start(() -> drainLater(link));
            assertEquals(1, selector.select());
            assertTrue(key.isWritable());
            selector.selectedKeys().clear();
            Io.drain(link.far());
            key.interestOps(OP_READ);
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void aKeyThatCanBeReadAndWrittenIsReportedOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection link = lab.tcp();
        SelectionKey key = watched(link, selector);
        Io.send(link.far());
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        for (int i = 0; i < 10; i++) {
            key.interestOps(OP_READ | OP_WRITE);
            List<SelectionKey> seen = new ArrayList<>();
            assertEquals(1, selector.select(seen::add));
            assertEquals(List.of(key), seen);
            assertEquals(OP_READ | OP_WRITE, key.readyOps());
            key.interestOps(OP_READ);
            assertEquals(1, selector.selectNow());
            assertEquals(OP_READ, key.readyOps());
            selector.selectedKeys().clear();
        }
    }

    @EachProvider
    void aKeyThatIsCancelledBeforeItIsAskedIsGone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < ROUNDS; i++) {
            Connection link = lab.tcp();
            SelectionKey key = link.near().register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_WRITE);
            if (i % 2 == 0) {
                key.cancel();
            } else {
                link.near().close();
            }
            assertEquals(0, selector.selectNow());
            assertTrue(selector.keys().isEmpty());
            link.far().close();
        }
    }

    /** Registers the near end, which has nothing to be read; the far end does not block. */
    private static SelectionKey watched(Connection link, Selector selector) throws Exception {
        link.far().configureBlocking(false);
        SelectionKey key = link.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        return key;
    }

    private static void reply(Selector selector, SelectionKey key) throws Exception {
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertTrue(key.isWritable());
        selector.selectedKeys().clear();
        Io.send((SocketChannel) key.channel());
        key.interestOps(OP_READ);
        assertEquals(0, selector.selectNow());
    }

    private static Void drainLater(Connection link) throws Exception {
        Thread.sleep(10);
        Io.drain(link.far());
        return null;
    }
}
