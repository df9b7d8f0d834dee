// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.pollux.lab.Garbage;
import java.nio.channels.Selector;

/** A selector that was just opened. */
class OpeningTest {

    @EachProvider
    void theSetsOfANewSelectorAreEmpty(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertEquals(0, selector.keys().size());
        assertEquals(0, selector.selectedKeys().size());
    }

    @EachProvider
    void aSelectorKnowsTheProviderThatOpenedIt(Lab lab) throws Exception {
        assertSame(lab.provider(), lab.selector().provider());
    }

    @EachProvider
    void wakeupReturnsTheSelector(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertSame(selector, selector.wakeup());
    }

    @EachProvider
    void everySelectorIsANewOne(Lab lab) throws Exception {
        assertNotSame(lab.selector(), lab.selector());
    }

    @EachProvider
    void theSetsAreTheSameObjectsAtEveryCall(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertSame(selector.keys(), selector.keys());
        assertSame(selector.selectedKeys(), selector.selectedKeys());
    }

    @EachProvider
    void aSelectorThatIsNeverUsedTakesAtMost1536Bytes(Lab lab) throws Exception {
        Garbage.assertLess(1537, () -> lab.provider().openSelector().close());
    }
}
