// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** A handler that blocks is said in the log while it does so, with its stack. */
@Tag("beyond-jdk")
class BlockedLoopTest {
    private static final long LONG_SECONDS = 30;

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
