// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
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
    private static final long LONG_SECONDS = 30;

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
            String said = awaitMessage(warnings, "is blocked: it has not returned to its wait for ");
            assertTrue(said.contains("Until it does, none of its 2 channels is served."), said);
            StackTraceElement[] stack = warnings.records().get(0).getThrown().getStackTrace();
            assertTrue(Stream.of(stack).anyMatch(call -> call.getMethodName().equals("handleWhatTakesLong")),
                    List.of(stack).toString());
            release.countDown();
            awaitMessage(warnings, " goes on: it was blocked for ");
            selector.close();
            loop.result();
            assertEquals(2, warnings.messages().size(), warnings.messages().toString());
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

    private static void handleWhatTakesLong(CountDownLatch release) throws InterruptedException {
        assertTrue(release.await(LONG_SECONDS, TimeUnit.SECONDS));
    }

    private static String awaitMessage(Warnings warnings, String part) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_SECONDS);
        while (System.nanoTime() < deadline) {
            for (String message : warnings.messages()) {
                if (message.contains(part)) {
                    return message;
                }
            }
            Thread.sleep(10);
        }
        throw new AssertionError("not said: " + part + "; but " + warnings.messages());
    }
}
