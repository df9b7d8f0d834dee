// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Tag;

/** System calls that a selection does without, seen from outside. */
class SystemCallTest {

    /**
     * Without read: the test's own dealings with strace need it. An emulated kevent is several of these, and one
     * getppid.
     */
    private static String calls(Lab lab) {
        return lab.isKQueue() ? "getppid,write" : "epoll_ctl,?epoll_wait,epoll_pwait,epoll_pwait2,?poll,ppoll,write";
    }

    private static final int ROUNDS = 100;

    @EachProvider
    @Tag("beyond-jdk")
    void aWakeupThatNobodyWaitsForIsOneSystemCall(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertEquals(0, selector.wakeup().select());
        try (Injection watch = Injection.watching(calls(lab))) {
            for (int i = 0; i < ROUNDS; i++) {
                selector.wakeup().select();
            }
            assertEquals(ROUNDS, watch.calls().size());
        }
    }

    @EachProvider
    @Tag("beyond-jdk")
    void takingReadInterestAwayAndBackTellsTheKernelNothing(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        try (Injection watch = Injection.watching(lab.changeCall())) {
            for (int i = 0; i < ROUNDS; i++) {
                key.interestOps(0);
                selector.selectNow();
                key.interestOps(OP_READ);
                selector.selectNow();
            }
            assertEquals(0, watch.calls().size());
        }
    }

    @EachProvider
    void manyChangesOfOneKeyAreAtMostOneSystemCall(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        // A kqueue takes changes with the call that waits: one call is the selection's own. An epoll is not told yet
        // that the key wants to write, but the socket is asked.
        String calls = lab.isEPoll() ? "epoll_ctl,?poll,ppoll" : lab.isKQueue() ? "getppid" : lab.changeCall();
        try (Injection watch = Injection.watching(calls)) {
            for (int i = 0; i < ROUNDS; i++) {
                key.interestOps(OP_READ | OP_WRITE);
                key.interestOps(OP_READ);
            }
            key.interestOps(OP_READ | OP_WRITE);
            assertEquals(1, selector.selectNow());
            assertEquals(1, watch.calls().size());
        }
    }

    @EachProvider
    void aSelectionOfReadyChannelsIsOneSystemCall(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 10; i++) {
            Pipe pipe = lab.pipe();
            pipe.source().register(selector, OP_READ);
            Io.feed(pipe);
        }
        assertEquals(10, selector.select());
        try (Injection watch = Injection.watching(calls(lab))) {
            for (int i = 0; i < ROUNDS; i++) {
                selector.selectedKeys().clear();
                assertEquals(10, selector.select());
            }
            assertEquals(ROUNDS, watch.calls().size());
        }
    }

    @EachProvider
    void pollingBeforeBlockingCostsAnIdleSelectorNextToNothing(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_READ);
        try (Injection watch = Injection.watching(calls(lab))) {
            for (int i = 0; i < ROUNDS; i++) {
                assertEquals(0, selector.select(1));
            }
            int calls = watch.calls().size();
            assertTrue(calls <= ROUNDS + ROUNDS / 20 + 2, calls + " calls for " + ROUNDS + " selections");
        }
    }
}
