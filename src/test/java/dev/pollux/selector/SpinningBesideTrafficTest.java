// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Traffic;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** A key that makes its selector spin is named while the selector, or even the key, is used, too. */
@Tag("beyond-jdk")
@Tag("load")
class SpinningBesideTrafficTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    private static final long BETWEEN_REQUESTS_MILLIS = 50;

    private Warnings warnings;

    @BeforeEach
    void listen() {
        assumeFalse(Descriptors.WINDOWS, "nothing tells what an application has read and written");
        warnings = new Warnings();
    }

    @AfterEach
    void listenNoMore() {
        if (warnings != null) {
            warnings.close();
        }
    }

    @EachProvider
    void interestInWritingThatIsLeftOnWhileThePeerAsks(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system selects too seldom to be suspected");
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        SelectionKey key = tcp.near().register(selector, OP_READ | OP_WRITE);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        untilNamed(() -> selector.select(ready -> {
            if (ready.isReadable()) {
                Traffic.echo(tcp.near());
            }
        }));
        assertNamed(selector, key, "interest in writing was left on, although the channel is used now and then");
        Traffic.end(tcp, peer);
    }

    /** The selection hands the key to a worker, which has its interest restored and has not read. */
    @EachProvider
    void interestThatAWorkerRestoresThoughItHasNotRead(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system selects too seldom to be suspected");
        Selector selector = lab.selector();
        Connection ignored = lab.tcp();
        SelectionKey key = ignored.near().register(selector, OP_READ);
        Io.send(ignored.far());
        Job<Void> worker = lab.start(() -> {
            try {
                while (selector.isOpen()) {
                    if (key.interestOps() == 0) {
                        key.interestOps(OP_READ);
                        selector.wakeup();
                    }
                    Thread.onSpinWait();
                }
            } catch (CancelledKeyException e) {
                return null; // the test is over
            }
            return null;
        });
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        untilNamed(() -> selector.select(ready -> {
            if (ready == key) {
                key.interestOps(0);
            } else {
                Traffic.echo(tcp.near());
            }
        }));
        assertNamed(selector, key, "data has arrived that is not read", " 1 bytes unread");
        Traffic.end(tcp, peer);
        selector.close();
        worker.result();
    }

    @EachProvider
    void aChannelThatIsRegisteredAgainEachTime(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system selects too seldom to be suspected");
        Selector selector = lab.selector();
        Connection ignored = lab.tcp();
        SelectionKey[] key = {ignored.near().register(selector, OP_READ)};
        Io.send(ignored.far());
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        untilNamed(() -> {
            selector.select(ready -> {
                if (ready != key[0]) {
                    Traffic.echo(tcp.near());
                }
            });
            key[0].cancel();
            selector.selectNow();
            key[0] = ignored.near().register(selector, OP_READ);
        });
        assertNamed(selector, key[0], "the channel is registered again and again", " 1 bytes unread");
        Traffic.end(tcp, peer);
    }

    private void untilNamed(Io.Step selection) throws Exception {
        long end = System.nanoTime() + LONG;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            selection.run();
        }
    }

    private void assertNamed(Selector selector, SelectionKey key, String... words) {
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        String message = warnings.messages().get(0);
        assertTrue(message.contains(key.channel().toString()), message);
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
        assertEquals(1, SelectorInsight.statistics(selector).count(Counter.SPINS));
    }
}
