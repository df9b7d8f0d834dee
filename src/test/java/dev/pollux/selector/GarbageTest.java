// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.lab.Garbage;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;

/** Selections make no garbage once they are compiled: less than one byte each on average. */
class GarbageTest {

    private static final int READY = 8;

    @EachProvider
    @Tag("beyond-jdk")
    void selectingIteratingAndRemovingMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        Garbage.assertNone(() -> {
            assertEquals(READY, selector.select());
            Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
            while (iterator.hasNext()) {
                iterator.next();
                iterator.remove();
            }
        });
    }

    @EachProvider
    @Tag("beyond-jdk")
    void selectingAndClearingMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        Garbage.assertNone(() -> {
            assertEquals(READY, selector.select());
            selector.selectedKeys().clear();
        });
    }

    @EachProvider
    void selectNowWithKeysThatStaySelectedMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        selector.select();
        Garbage.assertNone(() -> assertEquals(0, selector.selectNow()));
    }

    @EachProvider
    void selectingWithAnActionMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = writable(lab);
        Consumer<SelectionKey> action = key -> assertEquals(OP_WRITE, key.readyOps());
        Garbage.assertNone(() -> assertEquals(READY, selector.select(action)));
    }

    @EachProvider
    void selectNowWithNothingReadyMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_READ);
        Garbage.assertNone(selector::selectNow);
    }

    @EachProvider
    void wakingUpAndSelectingMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Garbage.assertNone(() -> selector.wakeup().select());
    }

    @EachProvider
    @Tag("beyond-jdk")
    void togglingInterestMakesNoGarbage(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        Garbage.assertNone(() -> {
            key.interestOps(OP_READ | OP_WRITE);
            selector.selectNow();
            key.interestOps(OP_READ);
            selector.selectNow();
            selector.selectedKeys().clear();
        });
    }

    private static Selector writable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < READY; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        return selector;
    }
}
