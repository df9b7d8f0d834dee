// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/**
 * Keys whose interest is taken away when they are ready and given back later, as servers do that read in another
 * thread. A selector that sees this may arm such a key for one event (EPOLLONESHOT). Nobody must notice, whatever else
 * happens to the key.
 */
class OneShotKeyTest {

    private static final long WAIT = 300;

    @EachProvider
    void aKeyThatStaysUnreadIsSelectedAgainAndAgain(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        for (int i = 0; i < 5; i++) {
            assertEquals(1, selector.select());
            assertEquals(Set.of(key), selector.selectedKeys());
            selector.selectedKeys().clear();
        }
        for (int i = 0; i < 5; i++) {
            assertEquals(1, selector.select(k -> assertSame(key, k)));
        }
    }

    @EachProvider
    void aKeyIsSelectedForEachThingThatArrives(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        for (int i = 0; i < 50; i++) {
            Io.feed(pipe);
            assertEquals(1, selector.select());
            selector.selectedKeys().clear();
            Io.drain(pipe.source());
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void aKeyThatIsHandedOverIsSilentUntilItIsGivenBack(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        for (int i = 0; i < 50; i++) {
            Io.send(connection.far());
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            assertEquals(0, selector.selectNow());
            Io.send(connection.far());
            assertEquals(0, selector.selectNow());
            Io.drain(connection.near());
            key.interestOps(OP_READ);
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void aKeyThatIsGivenBackUnreadIsSelectedAtOnce(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        for (int i = 0; i < 50; i++) {
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            if (i % 2 == 0) {
                assertEquals(0, selector.selectNow());
            }
            key.interestOps(OP_READ);
        }
    }

    @EachProvider
    void anotherInterestComesIntoForceAndGoes(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        Io.send(connection.far());
        for (int i = 0; i < 20; i++) {
            assertEquals(1, selector.select(k -> k.interestOps(OP_WRITE)));
            assertEquals(OP_READ, key.readyOps());
            assertEquals(1, selector.select(k -> k.interestOps(OP_READ | OP_WRITE)));
            assertEquals(OP_WRITE, key.readyOps());
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            assertEquals(OP_READ | OP_WRITE, key.readyOps());
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_READ);
        }
    }

    @EachProvider
    void whatAnExceptionLeftBehindComesAgain(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        ready(lab, selector, 40);
        int[] calls = new int[1];
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> {
            if (++calls[0] == 3) {
                throw new IllegalArgumentException("enough");
            }
        }));
        Set<SelectionKey> again = new HashSet<>();
        assertEquals(40, selector.select(again::add));
        assertEquals(selector.keys(), again);
    }

    @EachProvider
    void anActionMayCloseTheSelector(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        ready(lab, selector, 40);
        assertThrows(ClosedSelectorException.class, () -> selector.select(key -> close(selector)));
        assertFalse(selector.isOpen());
    }

    @EachProvider
    void moreReadyKeysThanTheBufferHoldsAreEachSelectedOnce(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        ready(lab, selector, 400);
        List<SelectionKey> delivered = new ArrayList<>();
        assertEquals(400, selector.select(key -> {
            delivered.add(key);
            key.interestOps(0);
        }));
        assertEquals(400, delivered.size());
        assertEquals(selector.keys(), new HashSet<>(delivered));
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aKeyThatIsHandedOverCanBeCancelledAndItsChannelRegisteredAgain(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Pipe pipe = lab.pipe();
        Io.feed(pipe);
        for (int i = 0; i < 20; i++) {
            SelectionKey key = pipe.source().register(selector, OP_READ);
            int left = i % 2 == 0 ? 0 : OP_READ;
            assertEquals(1, selector.select(k -> k.interestOps(left)));
            key.cancel();
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void aChannelThatIsClosedWhileItIsHandedOverLeavesItsNumberToAnother(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        for (int i = 0; i < 20; i++) {
            Lab.Connection connection = lab.tcp();
            connection.near().register(selector, OP_READ);
            Io.send(connection.far());
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            int before = Descriptors.count();
            connection.near().close();
            assertEquals(0, selector.selectNow());
            assertEquals(before - 1, Descriptors.count());
        }
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void aPeerThatGoesWhileAKeyIsHandedOverIsSeenWhenItIsGivenBack(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        for (int i = 0; i < 20; i++) {
            Lab.Connection connection = lab.tcp();
            SelectionKey key = connection.near().register(selector, OP_READ);
            SocketChannel far = connection.far();
            Io.send(far);
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            far.socket().setSoLinger(true, 0);
            far.close();
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_READ);
            assertEquals(1, selector.select(k -> assertTrue(k.isReadable())));
            key.cancel();
            assertEquals(0, selector.selectNow());
        }
    }

    @EachProvider
    void nothingSpinsWhileKeysAreHandedOver(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        for (int i = 0; i < 20; i++) {
            Lab.Connection connection = lab.tcp();
            connection.near().register(selector, OP_READ);
            Io.send(connection.far());
            connection.far().shutdownOutput();
        }
        assertEquals(20, selector.select(key -> key.interestOps(0)));
        Io.assertSleeps(selector, WAIT);
    }

    @EachProvider
    void aThreadMayGiveAKeyBackWhileTheSelectorWaits(Lab lab) throws Exception {
        Selector selector = handingOver(lab);
        Lab.Connection connection = lab.tcp();
        SelectionKey key = connection.near().register(selector, OP_READ);
        for (int i = 0; i < 50; i++) {
            Io.send(connection.far());
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            Job<Integer> job = lab.start(() -> selector.select());
            job.awaitSelecting();
            key.interestOps(OP_READ);
            selector.wakeup();
            job.result();
            assertEquals(1, selector.select(k -> assertSame(key, k)));
            Io.drain(connection.near());
        }
    }

    @EachProvider
    @Tag("beyond-jdk")
    void handingAKeyOverAndTakingItBackIsOneSystemCall(Lab lab) throws Exception {
        lab.needsOneShot();
        Selector selector = handingOver(lab);
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        int rounds = 160;
        try (Injection watch = Injection.watching("epoll_ctl")) {
            for (int i = 0; i < rounds; i++) {
                Io.feed(pipe);
                assertEquals(1, selector.select(k -> k.interestOps(0)));
                assertEquals(0, selector.selectNow()); // before anybody has read
                Io.drain(pipe.source());
                key.interestOps(OP_READ);
            }
            int calls = watch.calls().size();
            assertTrue(calls <= rounds * 9 / 8, calls + " calls for " + rounds + " times");
        }
    }

    /** A selector that has seen many keys whose data was not read before the next selection. */
    private static Selector handingOver(Lab lab) throws IOException {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        Io.feed(pipe);
        SelectionKey key = pipe.source().register(selector, 0);
        for (int i = 0; i < 50; i++) {
            key.interestOps(OP_READ);
            assertEquals(1, selector.select(k -> k.interestOps(0)));
            assertEquals(0, selector.selectNow());
        }
        key.cancel();
        assertEquals(0, selector.selectNow());
        return selector;
    }

    private static void ready(Lab lab, Selector selector, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Pipe pipe = lab.pipe();
            pipe.source().register(selector, OP_READ);
            Io.feed(pipe);
        }
    }

    private static void close(Selector selector) {
        try {
            selector.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
