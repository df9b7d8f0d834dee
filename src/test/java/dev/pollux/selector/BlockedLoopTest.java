// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.example.SlowLoop;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** A handler that blocks is said in the log while it does so, with its stack. */
@Tag("beyond-jdk")
class BlockedLoopTest {
    private static final long LONG_SECONDS = 20;

    /** A loop that is busy for that long is said to be blocked. */
    private static final long QUIET_MILLIS = 3500;

    @EachProvider
    void isSaidWithTheStackOfTheHandlerAndWhenItGoesOn(Lab lab) throws Exception {
        assumeTrue(lab.isEPoll() || lab.isKQueue(), "whether there are events can't be told");
        Selector selector = lab.selector();
        Connection blocking = lab.tcp();
        Connection other = lab.tcp();
        blocking.near().register(selector, OP_READ);
        other.near().register(selector, OP_READ);
        CountDownLatch release = new CountDownLatch(1);
        try (Warnings warnings = new Warnings()) {
            Job<Void> loop = lab.start(() -> {
                serve(selector, release);
                return null;
            });
            loop.awaitSelecting();
            Io.send(blocking.far());
            Io.send(other.far());
            String said = warnings.await(LONG_SECONDS, "is blocked: it has not returned to its wait for ");
            assertTrue(said.contains("Until it does, none of its 2 channels is served."), said);
            StackTraceElement[] stack = warnings.records().get(0).getThrown().getStackTrace();
            assertTrue(Stream.of(stack).anyMatch(call -> call.getMethodName().equals("handleWhatTakesLong")),
                    List.of(stack).toString());
            release.countDown();
            warnings.await(LONG_SECONDS, " goes on: it was blocked for ");
            selector.close();
            loop.result();
            assertEquals(2, warnings.messages().size(), warnings.messages().toString());
        }
    }

    @EachProvider
    void isSaidInALoopOverSelectedKeys(Lab lab) throws Exception {
        isSaid(lab, SlowLoop::iterate);
    }

    /** The selection has not returned, so its thread is in the selector's code, too. */
    @EachProvider
    void isSaidInTheActionOfASelection(Lab lab) throws Exception {
        isSaid(lab, SlowLoop::act);
    }

    /** Selects until the selector is closed. */
    private interface Serving {
        void run(SlowLoop loop, Selector selector) throws IOException;
    }

    /** Another channel than the one whose handler blocks is ready meanwhile. */
    private static void isSaid(Lab lab, Serving serving) throws Exception {
        assumeTrue(lab.isEPoll() || lab.isKQueue(), "whether there are events can't be told");
        Selector selector = lab.selector();
        Connection blocking = lab.tcp();
        Connection other = lab.tcp();
        blocking.near().register(selector, OP_READ, blocking.near());
        other.near().register(selector, OP_READ);
        SlowLoop slow = new SlowLoop();
        try (Warnings warnings = new Warnings()) {
            Job<Void> loop = lab.start(() -> {
                serving.run(slow, selector);
                return null;
            });
            loop.awaitSelecting();
            Io.send(blocking.far());
            assertTrue(slow.awaitBlocking());
            Io.send(other.far());
            warnings.await(LONG_SECONDS, "is blocked: it has not returned to its wait for ");
            StackTraceElement[] stack = warnings.records().get(0).getThrown().getStackTrace();
            assertTrue(Stream.of(stack).anyMatch(call -> call.getMethodName().equals("handleWhatTakesLong")),
                    List.of(stack).toString());
            slow.release();
            warnings.await(LONG_SECONDS, " goes on: it was blocked for ");
            selector.close();
            loop.result();
        } finally {
            slow.release();
        }
    }

    /** It has something to do for as long as a loop may take, and nothing waits for it meanwhile. */
    @EachProvider
    void anActionThatNothingWaitsForIsNotBlocked(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        try (Warnings warnings = new Warnings()) {
            Job<Void> loop = lab.start(() -> {
                selector.select(key -> {
                    skip(tcp.near());
                    pause();
                });
                selector.select(1);
                return null;
            });
            loop.awaitSelecting();
            Io.send(tcp.far());
            loop.result();
            assertEquals(List.of(), warnings.messages());
        }
    }

    @EachProvider
    void keysWithoutInterestAndCancelledOnesAskForNothing(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.tcp().near().register(selector, OP_READ);
        assertTrue(SelectorInsight.isInterested(selector));
        key.interestOps(0);
        assertFalse(SelectorInsight.isInterested(selector));
        key.interestOps(OP_READ);
        key.cancel();
        assertFalse(SelectorInsight.isInterested(selector), "its key is there until the next selection");
        selector.close();
        assertFalse(SelectorInsight.isInterested(selector));
    }

    /** It has waited for a connection, and does something else with it. */
    @EachProvider
    void aSelectorThatIsLeftAloneIsNotBlocked(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        assertNothingIsSaid(lab, tcp, () -> {
            Client.receive(selector, tcp.near());
            Thread.sleep(QUIET_MILLIS);
        });
    }

    /** Its caller takes longer for each message than a loop may. */
    @EachProvider
    void aClientThatIsAskedNowAndThenIsNotBlocked(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        assertNothingIsSaid(lab, tcp, () -> {
            for (int i = 0; i < 2; i++) {
                Client.receive(selector, tcp.near());
                Thread.sleep(QUIET_MILLIS);
            }
        });
    }

    private static void assertNothingIsSaid(Lab lab, Connection tcp, Io.Step program) throws Exception {
        try (Warnings warnings = new Warnings()) {
            Job<Void> running = lab.start(() -> {
                program.run();
                return null;
            });
            while (!running.isDone()) {
                Thread.sleep(300);
                Io.send(tcp.far());
            }
            running.result();
            assertEquals(List.of(), warnings.messages());
        }
    }

    private static final class Client {
        static void receive(Selector selector, SocketChannel channel) throws IOException {
            selector.select();
            selector.selectedKeys().clear();
            assertTrue(channel.read(ByteBuffer.allocate(100)) > 0);
        }
    }

    /** A wait comes first, so that there is a thread that looks. */
    private static void serve(Selector selector, CountDownLatch release) throws Exception {
        while (selector.isOpen()) {
            selector.select();
            if (selector.isOpen() && !selector.selectedKeys().isEmpty()) {
                handleWhatTakesLong(release);
                selector.keys().forEach(key -> key.interestOps(0));
                selector.selectedKeys().clear();
            }
        }
    }

    private static void skip(SocketChannel channel) {
        try {
            channel.read(ByteBuffer.allocate(100));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(QUIET_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void handleWhatTakesLong(CountDownLatch release) {
        try {
            assertTrue(release.await(LONG_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
