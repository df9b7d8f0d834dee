// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Garbage;
import dev.pollux.lab.Injection;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;

/** A selector that was just opened. */
class OpeningTest {

    @EachProvider
    void aNewSelectorIsOpenAndItsSetsAreEmpty(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertTrue(selector.isOpen());
        assertEquals(0, selector.keys().size());
        assertEquals(0, selector.selectedKeys().size());
    }

    @EachProvider
    void aSelectorKnowsTheProviderThatOpenedIt(Lab lab) throws Exception {
        assertSame(lab.provider(), lab.selector().provider());
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
    void selectNowOnAnEmptySelectorReturnsZero(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.selectNow(key -> { }));
    }

    @EachProvider
    void aThousandSelectorsCanBeOpenedAndClosedWithoutALeak(Lab lab) throws Exception {
        int before = Descriptors.count();
        for (int i = 0; i < 1000; i++) {
            lab.provider().openSelector().close();
        }
        assertTrue(Descriptors.count() <= before, "descriptors: " + Descriptors.open());
    }

    /** As in a sandbox, whose operator is told of a way round it. */
    @EachProvider
    void aMechanismThatTheSystemForbidsNamesTheProviderThatDoesWithoutItsCalls(Lab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll has system calls of its own here");
        for (SelectorProvider provider : List.of(lab.provider(), new PolluxSelectorProvider())) {
            for (String call : List.of("epoll_create1", "epoll_ctl")) {
                for (String error : List.of("EPERM", "ENOSYS", "EACCES")) {
                    assertNamesAnother(call, error, provider::openSelector);
                }
            }
        }
    }

    @EachProvider
    void aSelectionThatTheSystemForbidsNamesTheProviderThatDoesWithoutItsCalls(Lab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll has system calls of its own here");
        assertNamesAnother("epoll_wait,epoll_pwait,epoll_pwait2", "EPERM", lab.selector()::selectNow);
    }

    private static void assertNamesAnother(String calls, String error, Executable attempt) throws Exception {
        try (Injection faults = Injection.failing(calls, error)) {
            IOException thrown = assertThrows(IOException.class, attempt);
            assertTrue(thrown.getMessage().contains(error), thrown.toString());
            assertTrue(thrown.getMessage().contains("name dev.pollux.PollSelectorProvider"), thrown.toString());
            assertFalse(faults.calls().isEmpty());
        }
    }

    @EachProvider
    void aSelectorThatIsNeverUsedTakesAtMost1536Bytes(Lab lab) throws Exception {
        Garbage.assertLess(1537, () -> lab.provider().openSelector().close());
    }

    @EachProvider
    @Tag("beyond-jdk")
    void everyDescriptorOfASelectorIsClosedOnExec(Lab lab) throws Exception {
        List<String> before = Descriptors.open();
        lab.selector();
        List<String> inherited = new ArrayList<>();
        List<String> fresh = Descriptors.more(before, Descriptors.open());
        for (String entry : fresh) {
            if (Descriptors.isInherited(entry)) {
                inherited.add(entry);
            }
        }
        assertTrue(!fresh.isEmpty(), "a selector has descriptors");
        assertEquals(List.of(), inherited);
    }
}
