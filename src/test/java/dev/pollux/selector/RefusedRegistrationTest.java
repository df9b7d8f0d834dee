// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Virtual;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;

/** What the kernel refuses to watch (man epoll_ctl, kevent: ENOSPC, ENOMEM), poll(2) watches. */
@Tag("beyond-jdk")
class RefusedRegistrationTest {

    @EachProvider
    void aRefusedChannelIsSelectedLikeAnyOther(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        SelectionKey refused = lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            for (int i = 0; i < 3; i++) {
                assertEquals(1, selector.select());
                assertEquals(OP_WRITE, refused.readyOps());
                assertTrue(selector.selectedKeys().remove(refused));
                assertEquals(1, selector.select(key -> assertEquals(refused, key)));
                assertEquals(1, selector.selectNow(key -> assertEquals(refused, key)));
            }
            assertTrue(faults.calls().size() > 1, "it was tried again");
        }
    }

    @EachProvider
    void aRefusedChannelThatBecomesReadyEndsAWait(Lab lab) throws Exception {
        lab.needsFallback();
        Injection.needed();
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        try (Job<Integer> selecting = selectingUnderFaults(lab, selector)) {
            selecting.awaitSelecting();
            Io.feed(pipe);
            assertEquals(1, selecting.result());
            assertEquals(Set.of(key), selector.selectedKeys());
            assertEquals(OP_READ, key.readyOps());
        }
    }

    @EachProvider
    void anAcceptedChannelEndsAWaitForARefusedOneToo(Lab lab) throws Exception {
        lab.needsFallback();
        Injection.needed();
        Selector selector = lab.selector();
        Pipe accepted = lab.pipe();
        SelectionKey key = accepted.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        lab.pipe().source().register(selector, OP_READ);
        try (Job<Integer> selecting = selectingUnderFaults(lab, selector)) {
            selecting.awaitSelecting();
            Io.feed(accepted);
            assertEquals(1, selecting.result());
            assertEquals(Set.of(key), selector.selectedKeys());
        }
    }

    @EachProvider
    void aWakeupEndsAWaitForARefusedChannel(Lab lab) throws Exception {
        lab.needsFallback();
        Injection.needed();
        Selector selector = lab.selector();
        lab.pipe().source().register(selector, OP_READ);
        for (int i = 0; i < 3; i++) {
            try (Job<Integer> selecting = selectingUnderFaults(lab, selector)) {
                selecting.awaitSelecting();
                selector.wakeup();
                assertEquals(0, selecting.result());
            }
        }
    }

    @EachProvider
    void closingEndsAWaitForARefusedChannel(Lab lab) throws Exception {
        lab.needsFallback();
        Injection.needed();
        Selector selector = lab.selector();
        lab.pipe().source().register(selector, OP_READ);
        try (Job<Integer> selecting = selectingUnderFaults(lab, selector)) {
            selecting.awaitSelecting();
            selector.close();
            assertEquals(0, selecting.result());
        }
    }

    @EachProvider
    void aWaitForARefusedChannelKeepsItsTimeoutAsleep(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        lab.pipe().source().register(selector, OP_READ);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOMEM")) {
            Io.assertSleeps(selector, 300);
            Io.assertSleeps(selector, 300);
            assertTrue(!faults.calls().isEmpty());
        }
    }

    @EachProvider
    void aRefusedChannelMovesToTheMechanismOnceTheKernelTakesIt(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOMEM")) {
            assertEquals(1, selector.select());
            assertEquals(1, SelectorInsight.refusedKeys(selector));
            assertTrue(SelectorInsight.statistics(selector).count(Counter.REFUSALS) > 0);
            assertTrue(!faults.calls().isEmpty());
        }
        selector.selectedKeys().clear();
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(0, SelectorInsight.refusedKeys(selector));
    }

    @EachProvider
    void changesThatAreNotRefusedAreAppliedBesideOneThatIs(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        DatagramChannel cancelled = lab.datagram();
        SelectionKey key = cancelled.register(selector, OP_READ);
        SelectionKey changed = lab.datagram().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        SelectionKey refused = lab.datagram().register(selector, OP_WRITE);
        changed.interestOps(OP_WRITE);
        key.cancel();
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOSPC")) {
            assertEquals(2, selector.selectNow());
            assertTrue(faults.calls().size() > 1, "the other changes were told as well");
        }
        assertEquals(Set.of(refused, changed), selector.selectedKeys());
        assertFalse(cancelled.isRegistered());
    }

    @EachProvider
    void whatIsReadyIsFoundBesideARefusalWithoutWaiting(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        SelectionKey ready = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        selector.selectedKeys().clear();
        lab.datagram().register(selector, OP_READ);
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOSPC")) {
            assertEquals(1, selector.selectNow());
            assertTrue(faults.calls().size() > 0, "it was refused");
        }
        assertEquals(Set.of(ready), selector.selectedKeys());
    }

    @EachProvider
    void whatIsReadyIsFoundThoughItIsRefusedByTheSelectionThatDoesNotWait(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failingOnce(lab.changeCall(), "ENOSPC")) {
            assertEquals(1, selector.selectNow());
            assertTrue(faults.calls().size() > 0, "it was refused");
        }
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @EachProvider
    void aRefusedModificationIsInForceAllTheSame(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        Io.send(connection.far());
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        key.interestOps(OP_READ | OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOMEM")) {
            for (int i = 0; i < 3; i++) {
                List<SelectionKey> called = new ArrayList<>();
                assertEquals(1, selector.select(called::add));
                assertEquals(List.of(key), called);
                assertEquals(OP_READ | OP_WRITE, key.readyOps());
            }
            key.interestOps(OP_WRITE);
            assertEquals(1, selector.select());
            assertEquals(OP_WRITE, key.readyOps());
            assertTrue(!faults.calls().isEmpty());
        }
        selector.selectedKeys().clear();
        key.interestOps(OP_READ);
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void aRefusedChannelWithoutInterestIsNotReported(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertEquals(1, selector.select());
            selector.selectedKeys().clear();
            key.interestOps(0);
            Io.assertSleeps(selector, 100);
            key.interestOps(OP_WRITE);
            assertEquals(1, selector.select());
            assertTrue(!faults.calls().isEmpty());
        }
    }

    @EachProvider
    void aRefusedChannelCanBeCancelledAndClosed(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        DatagramChannel cancelled = lab.datagram();
        DatagramChannel closed = lab.datagram();
        SelectionKey key = cancelled.register(selector, OP_WRITE);
        closed.register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertEquals(2, selector.selectNow());
            selector.selectedKeys().clear();
            key.cancel();
            closed.close();
            assertEquals(0, selector.selectNow());
            assertEquals(Set.of(), selector.keys());
            Io.assertSleeps(selector, 50);
            assertEquals(0, SelectorInsight.refusedKeys(selector));
            assertTrue(!faults.calls().isEmpty());
        }
    }

    @EachProvider
    void anActionOnARefusedChannelMayCloseTheSelector(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_WRITE);
        lab.datagram().register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertThrows(ClosedSelectorException.class, () -> selector.select(key -> close(selector)));
            assertTrue(!faults.calls().isEmpty());
        }
    }

    @EachProvider
    void manyRefusedChannelsCostASelectionOneAttempt(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        for (int i = 0; i < 50; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        int selections = 10;
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertEquals(50, selector.selectNow());
            int[] keys = new int[1];
            for (int i = 0; i < selections; i++) {
                assertEquals(50, selector.select(key -> keys[0]++));
            }
            assertEquals(50 * selections, keys[0]);
            assertEquals(50 + selections, faults.calls().size());
        }
        assertEquals(50, selector.select(key -> { }));
        assertEquals(0, SelectorInsight.refusedKeys(selector));
    }

    @EachProvider
    void aVirtualThreadWaitsForARefusedChannel(Lab lab) throws Exception {
        lab.needsFallback();
        Injection.needed();
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        CompletableFuture<String> carrier = new CompletableFuture<>();
        AtomicBoolean isFailing = new AtomicBoolean();
        CompletableFuture<Integer> refused = new CompletableFuture<>();
        FutureTask<Integer> task = Virtual.start(() -> {
            carrier.complete(Job.currentNativeId());
            while (!isFailing.get()) {
                Thread.onSpinWait(); // what parks or yields may go on at a carrier without faults
            }
            refused.complete(selector.selectNow());
            return selector.select();
        });
        // Nothing else runs on that carrier meanwhile: the JDK's own pollers would end at such a fault.
        try (Injection faults = Injection.failing(carrier.get(30, TimeUnit.SECONDS), lab.changeCall(), "ENOSPC")) {
            isFailing.set(true);
            assertEquals(0, refused.get(30, TimeUnit.SECONDS));
            assertEquals(1, SelectorInsight.refusedKeys(selector));
            Thread.sleep(50);
            assertFalse(task.isDone());
            Io.feed(pipe);
            assertEquals(1, task.get(30, TimeUnit.SECONDS));
            assertEquals(Set.of(key), selector.selectedKeys());
            assertTrue(!faults.calls().isEmpty());
        }
    }

    private static void close(Selector selector) {
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Selects in another thread, all of whose registrations are refused. */
    private static Job<Integer> selectingUnderFaults(Lab lab, Selector selector) {
        return lab.start(() -> {
            try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
                int n = selector.select(TimeUnit.SECONDS.toMillis(30));
                assertTrue(!faults.calls().isEmpty());
                return n;
            }
        });
    }
}
