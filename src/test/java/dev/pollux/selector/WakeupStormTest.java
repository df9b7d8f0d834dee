// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** Wakeups for nothing, thousands of them a second, are noticed; those that have something written are not meant. */
@Tag("beyond-jdk")
@Tag("load")
class WakeupStormTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    /** A storm lasts for a second. */
    private static final long SOME_TIME = TimeUnit.SECONDS.toNanos(3);

    private Warnings warnings;

    @BeforeEach
    void listen() {
        warnings = new Warnings();
    }

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    @EachProvider
    void isNamedOnceWithTheThreadsThatSelectAndWake(Lab lab) throws Exception {
        Selector selector = lab.selector();
        if (!Descriptors.WINDOWS) { // there it can't be told what is read and written
            lab.tcp().near().register(selector, OP_READ);
        }
        lab.listener().register(selector, OP_ACCEPT);
        Thread waker = new Thread(() -> {
            while (selector.isOpen()) {
                selector.wakeup();
            }
        }, "waker-of-this-test");
        waker.start();
        try {
            until(LONG, () -> selector.select());
            assertEquals(1, warnings.messages().size(), warnings.messages().toString());
            String message = warnings.messages().get(0);
            assertTrue(message.contains('"' + Thread.currentThread().getName() + '"'), message);
            assertTrue(message.contains("\"waker-of-this-test\""), message);
            assertTrue(message.contains("Call wakeup() once"), message);
            assertNotNull(warnings.records().get(0).getThrown(), "the waker's stack");
            forSomeTime(() -> selector.select());
            assertEquals(1, warnings.messages().size(), "once");
            assertEquals(1, SelectorInsight.statistics(selector).wakeupStorms());
        } finally {
            selector.close();
            waker.join();
        }
    }

    @EachProvider
    void anInterruptStatusThatIsNotClearedIsNamed(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Thread.currentThread().interrupt();
        try {
            until(LONG, () -> selector.select());
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        assertTrue(warnings.messages().get(0).contains("Thread.interrupted()"), warnings.messages().toString());
    }

    @EachProvider
    void wakeupsToHaveSomethingWrittenAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        ByteBuffer bytes = ByteBuffer.allocateDirect(8);
        ByteBuffer received = ByteBuffer.allocateDirect(1 << 16);
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.wakeup();
            selector.select();
            if (++count[0] % 1000 == 0) {
                tcp.near().write(bytes.clear());
                tcp.far().read(received.clear());
            }
        });
        assertEquals(List.of(), warnings.messages());
    }

    @EachProvider
    void wakeupsToHaveChannelsRegisteredAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.wakeup();
            selector.select();
            if (++count[0] % 1000 == 1) {
                tcp.near().register(selector, OP_READ);
            } else if (count[0] % 1000 == 500) {
                tcp.near().keyFor(selector).cancel();
                selector.selectNow();
            }
        });
        assertEquals(List.of(), warnings.messages());
    }

    private void until(long nanos, Io.Step selection) throws Exception {
        long end = System.nanoTime() + nanos;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            selection.run();
        }
    }

    private static void forSomeTime(Io.Step selection) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            selection.run();
        }
    }
}
