// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** What frameworks and operators do to a selector that is never at rest: no key is said to make it spin. */
@Tag("beyond-jdk")
@Tag("load")
class HealthyPatternTest {

    /** Several examinations of a selector that never has to wait. */
    private static final long SOME_TIME = TimeUnit.MILLISECONDS.toNanos(2500);

    private final ByteBuffer oneByte = ByteBuffer.allocateDirect(1);
    private Warnings warnings;

    @BeforeEach
    void listen() {
        warnings = new Warnings();
    }

    @AfterEach
    void nothingWasLogged() {
        warnings.close();
        assertEquals(List.of(), warnings.messages());
    }

    /** A garbage collection, a debugger or a signal stops the reader, too. */
    @EachProvider
    void pausesWhileAnotherThreadIsAboutToRead(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = connection(lab, selector);
        for (int i = 0; i < 2000; i++) { // until it expects events, so that no wait has to block
            selector.select(ready -> echo(tcp));
        }
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.select(ready -> { });
            count[0]++;
            if (count[0] % 192 == 96) {
                Thread.sleep(110);
            } else if (count[0] % 192 == 0) {
                echo(tcp);
            }
        });
    }

    /** Whoever reads no more than so much in a second takes interest away and restores it. */
    @EachProvider
    void interestThatComesAndGoes(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey throttled = connection(lab, selector).near().keyFor(selector);
        Connection busy = connection(lab, selector);
        forSomeTime(() -> {
            throttled.interestOps(throttled.interestOps() ^ OP_READ);
            selector.select(ready -> {
                if (ready != throttled) {
                    echo(busy);
                }
            });
        });
    }

    /** The end of the stream is reported each time, and the answer goes on for long. */
    @EachProvider
    void anAnswerAfterTheEndOfTheRequest(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ | OP_WRITE);
        tcp.far().shutdownOutput();
        forSomeTime(() -> selector.select(ready -> {
            write(tcp.near(), oneByte.clear());
            read(tcp.far(), oneByte.clear());
        }));
    }

    /** So that each has its turn: what is reported and not read for hundreds of selections is read in the end. */
    @EachProvider
    void oneOfManyReadyKeysIsReadInEachSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection[] connections = new Connection[300];
        for (int i = 0; i < connections.length; i++) {
            connections[i] = connection(lab, selector);
        }
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.select();
            selector.selectedKeys().clear();
            echo(connections[count[0]++ % connections.length]);
        });
    }

    /** A server with threads for its requests: the selector is busy with others while a request is worked on. */
    @EachProvider
    void workersThatReadLaterAndRestoreInterest(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection busy = connection(lab, selector);
        Connection slow = connection(lab, selector);
        SelectionKey key = slow.near().keyFor(selector);
        Job<Void> worker = lab.start(() -> {
            try {
                while (selector.isOpen()) {
                    if (key.interestOps() == 0) {
                        Thread.sleep(2);
                        echo(slow);
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
        forSomeTime(() -> selector.select(ready -> {
            if (ready == key) {
                key.interestOps(0);
            } else {
                echo(busy);
            }
        }));
        selector.close();
        worker.result();
    }

    @EachProvider
    void aChannelThatIsReadAndRegisteredAgainEachTime(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = connection(lab, selector);
        forSomeTime(() -> {
            selector.select(ready -> echo(tcp));
            tcp.near().keyFor(selector).cancel();
            selector.selectNow();
            tcp.near().register(selector, OP_READ);
        });
    }

    /** Most selections find that there is nothing to write, but one of the next ones has something again. */
    @EachProvider
    void interestInWritingThatIsNeededAgainAtOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_WRITE);
        int[] count = new int[1];
        forSomeTime(() -> selector.select(ready -> {
            if (count[0]++ % 20 == 0) {
                write(tcp.near(), oneByte.clear());
                read(tcp.far(), oneByte.clear());
            }
        }));
    }

    /** Registers a connection that a byte has arrived on. */
    private Connection connection(Lab lab, Selector selector) throws Exception {
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        write(tcp.far(), oneByte.clear());
        return tcp;
    }

    /** Takes a byte and has the next one sent. */
    private void echo(Connection tcp) {
        read(tcp.near(), oneByte.clear());
        write(tcp.far(), oneByte.clear());
    }

    private static void forSomeTime(Io.Step selection) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            selection.run();
        }
    }

    private static void read(SocketChannel channel, ByteBuffer bytes) {
        try {
            channel.read(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) {
        try {
            channel.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
