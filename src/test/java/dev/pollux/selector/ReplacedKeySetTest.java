// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Trusted;
import java.lang.reflect.Field;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** Event loops that put their own set into the fields of {@code sun.nio.ch.SelectorImpl}. */
class ReplacedKeySetTest {

    @EachProvider
    void aSetInBothFieldsReceivesTheKeys(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ArrayKeySet set = replaceBoth(selector);
        assertUsed(lab, selector, set);
    }

    @EachProvider
    void aSetThatComesAfterSelectionsReceivesTheKeys(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        assertEquals(1, selector.select(key -> key.interestOps(0)));
        ArrayKeySet set = replaceBoth(selector);
        assertUsed(lab, selector, set);
    }

    private static void assertUsed(Lab lab, Selector selector, ArrayKeySet set) throws Exception {
        assertSame(set, selector.selectedKeys());
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        for (int i = 0; i < 100; i++) {
            Io.feed(pipe);
            assertEquals(1, selector.select());
            assertEquals(1, set.size());
            assertSame(key, set.get(0));
            assertEquals(OP_READ, key.readyOps());
            set.reset();
            Io.drain(pipe.source());
            assertEquals(0, selector.selectNow());
            assertEquals(0, set.size());
        }
    }

    @EachProvider
    void aSetThatIsNotResetBetweenSelectionsHoldsEachKeyOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ArrayKeySet set = replaceBoth(selector);
        for (int i = 0; i < 50; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        assertEquals(50, selector.select());
        assertEquals(0, selector.select());
        assertEquals(0, selector.selectNow());
        assertEquals(50, set.size());
        assertEquals(selector.keys(), new HashSet<>(set));
    }

    @EachProvider
    @Tag("beyond-jdk")
    void aSetThatIsResetBeforeEachSelectionIsNotSearchedForEachReadyKey(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ArrayKeySet set = replaceBoth(selector);
        for (int i = 0; i < 50; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        for (int i = 0; i < 3; i++) {
            set.reset();
            assertEquals(50, selector.select());
        }
        assertEquals(0, set.searches());
    }

    @EachProvider
    void aKeyCancelledWithAForeignSetIsDeregistered(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ArrayKeySet set = replaceBoth(selector);
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        set.reset();
        key.cancel();
        assertEquals(0, selector.selectNow());
        assertEquals(0, set.size());
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void aSelectorWithAForeignSetCloses(Lab lab) throws Exception {
        Selector selector = lab.provider().openSelector();
        ArrayKeySet set = replaceBoth(selector);
        lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        set.reset();
        selector.close();
        assertTrue(!selector.isOpen());
    }

    @EachProvider
    void consumerSelectionsLeaveAForeignSetAlone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ArrayKeySet set = replaceBoth(selector);
        lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select(key -> assertEquals(OP_WRITE, key.readyOps())));
        assertEquals(0, set.size());
        assertEquals(1, selector.select());
        assertEquals(1, set.size());
    }

    @EachProvider
    void aReplacedInnerSetReceivesTheKeysWhateverTheViewShows(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Set<SelectionKey> view = selector.selectedKeys();
        ArrayKeySet set = new ArrayKeySet();
        replace("selectedKeys", selector, set);
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        assertSame(view, selector.selectedKeys());
        assertEquals(Set.of(key), set);
        set.reset();
        assertEquals(1, selector.select());
    }

    @EachProvider
    void aReplacedViewIsReturnedAndTheKeysStayInTheInnerSet(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ArrayKeySet view = new ArrayKeySet();
        replace("publicSelectedKeys", selector, view);
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        assertSame(view, selector.selectedKeys());
        assertEquals(0, view.size());
        assertEquals(Set.of(key), Trusted.get(field("selectedKeys"), selector));
        assertEquals(0, selector.select());
    }

    @EachProvider
    void theOriginalSetsCanBePutBack(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Object inner = Trusted.get(field("selectedKeys"), selector);
        Object view = Trusted.get(field("publicSelectedKeys"), selector);
        ArrayKeySet set = replaceBoth(selector);
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        set.reset();
        replace("selectedKeys", selector, inner);
        replace("publicSelectedKeys", selector, view);
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(0, selector.select());
        selector.selectedKeys().clear();
        assertEquals(1, selector.select());
        assertEquals(0, set.size());
    }

    private static ArrayKeySet replaceBoth(Selector selector) throws ReflectiveOperationException {
        ArrayKeySet set = new ArrayKeySet();
        replace("selectedKeys", selector, set);
        replace("publicSelectedKeys", selector, set);
        return set;
    }

    /** Netty's way, by Unsafe. */
    private static void replace(String name, Selector selector, Object set) throws ReflectiveOperationException {
        Trusted.set(field(name), selector, set);
    }

    private static Field field(String name) throws ReflectiveOperationException {
        return Class.forName("sun.nio.ch.SelectorImpl").getDeclaredField(name);
    }
}
