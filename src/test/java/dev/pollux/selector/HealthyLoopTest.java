// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** No key is said to make a selector spin while the application works on it, however busy the selector is. */
@Tag("beyond-jdk")
@Tag("load")
class HealthyLoopTest {

    /** Several examinations of a selector that never has to wait. */
    private static final long SOME_TIME = TimeUnit.SECONDS.toNanos(1);

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

    @EachProvider
    void aBusyReader(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Void> flood = flood(lab, tcp.far());
        ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        forSomeTime(() -> selector.select(key -> read(tcp.near(), bytes.clear())));
        end(selector, tcp, flood);
    }

    /** Most of what it finds unread each time is what it found before. */
    @EachProvider
    void aReaderThatTakesOneByteOfMany(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Void> flood = flood(lab, tcp.far());
        ByteBuffer oneByte = ByteBuffer.allocateDirect(1);
        forSomeTime(() -> {
            selector.select();
            selector.selectedKeys().clear();
            read(tcp.near(), oneByte.clear());
        });
        end(selector, tcp, flood);
    }

    @EachProvider
    void aConstantWriter(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_WRITE);
        Job<Void> sink = drain(lab, tcp.far());
        ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        forSomeTime(() -> selector.select(key -> write(tcp.near(), bytes.clear())));
        end(selector, tcp, sink);
    }

    /** The key is left in the set, and it is worked on all the same. */
    @EachProvider
    void aWriterThatClearsNoSet(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_WRITE);
        Job<Void> sink = drain(lab, tcp.far());
        ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        forSomeTime(() -> {
            selector.select();
            write(tcp.near(), bytes.clear());
        });
        end(selector, tcp, sink);
    }

    @EachProvider
    void aPeerThatReadsSlowlyWhileBuffersAreFull(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_WRITE);
        Job<Void> slow = lab.start(() -> {
            ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 14);
            while (readUnlessClosed(tcp.far(), bytes.clear())) {
                Thread.sleep(1);
            }
            return null;
        });
        ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
        forSomeTime(() -> selector.select(key -> write(tcp.near(), bytes.clear())));
        end(selector, tcp, slow);
    }

    @EachProvider
    void aPingPong(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        ByteBuffer back = ByteBuffer.allocateDirect(1);
        forSomeTime(() -> { // all in one thread, so that no selection has to wait
            write(tcp.far(), there.clear());
            selector.select(key -> {
                read(tcp.near(), back.clear());
                write(tcp.near(), back.flip());
            });
            tcp.far().read(there.clear());
        });
    }

    @EachProvider
    void manyConnectionsUnderLoad(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection[] connections = new Connection[50];
        for (int i = 0; i < connections.length; i++) {
            connections[i] = lab.tcp();
            connections[i].near().register(selector, OP_READ);
        }
        ByteBuffer request = ByteBuffer.allocateDirect(100);
        ByteBuffer bytes = ByteBuffer.allocateDirect(100);
        for (Connection each : connections) {
            each.far().write(request.clear());
        }
        forSomeTime(() -> selector.select(key -> {
            read((SocketChannel) key.channel(), bytes.clear());
            for (Connection each : connections) {
                if (each.near() == key.channel()) {
                    write(each.far(), request.clear());
                }
            }
        }));
    }

    @EachProvider
    void aLoopOfSelectNow(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ | OP_WRITE);
        Io.send(tcp.far());
        forSomeTime(() -> {
            selector.selectNow();
            selector.selectedKeys().clear();
        });
    }

    /** As much is unread each time as before. Of a pipe nobody can tell that this byte is another one. */
    @EachProvider
    void aPipeThatIsFilledAsItIsRead(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        ByteBuffer oneByte = ByteBuffer.allocateDirect(1);
        forSomeTime(() -> {
            Io.feed(pipe);
            selector.select(key -> {
                try {
                    pipe.source().read(oneByte.clear());
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        });
    }

    /** A pipe has no counters of what was written, so that interest in writing may be right. */
    @EachProvider
    void aPipeThatIsWritableAllTheTime(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.pipe().sink().register(selector, OP_WRITE);
        forSomeTime(() -> selector.select(key -> { }));
    }

    /** Who spins for a moment, and then is replaced by a healthy one under the same descriptor, is not mentioned. */
    @EachProvider
    void keysThatAreCancelledOrClosedWhileTheyAreExamined(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (boolean closes : new boolean[] {false, true}) {
            Connection suspect = lab.tcp();
            SelectionKey key = suspect.near().register(selector, OP_WRITE);
            // It begins at 1024 or 2048.
            long until = SelectorInsight.statistics(selector).count(Counter.SELECTIONS) + 2100;
            while (SelectorInsight.statistics(selector).count(Counter.SELECTIONS) < until) {
                selector.select(ready -> { });
            }
            if (closes) {
                suspect.near().close();
            } else {
                key.cancel();
            }
            Connection tcp = lab.tcp();
            SelectionKey next = tcp.near().register(selector, OP_WRITE);
            Job<Void> sink = drain(lab, tcp.far());
            ByteBuffer bytes = ByteBuffer.allocateDirect(64);
            forSomeTime(() -> selector.select(ready -> write(tcp.near(), bytes.clear())));
            next.cancel();
            end(selector, tcp, sink);
        }
    }

    private static void forSomeTime(Io.Step selection) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            selection.run();
        }
    }

    private static Job<Void> flood(Lab lab, SocketChannel channel) {
        return lab.start(() -> {
            ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
            try {
                while (channel.write(bytes.clear()) >= 0) {
                    bytes.clear();
                }
            } catch (IOException e) {
                return null; // the test is over
            }
            return null;
        });
    }

    private static Job<Void> drain(Lab lab, SocketChannel channel) {
        return lab.start(() -> {
            ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
            while (readUnlessClosed(channel, bytes)) {
                bytes.clear();
            }
            return null;
        });
    }

    private static boolean readUnlessClosed(SocketChannel channel, ByteBuffer bytes) {
        try {
            return channel.read(bytes) >= 0;
        } catch (IOException e) {
            return false; // the test is over
        }
    }

    /** Ends the connection, and the thread at its other end with it. */
    private static void end(Selector selector, Connection tcp, Job<Void> other) throws Exception {
        tcp.near().close();
        selector.selectNow(); // lets go of it: a writer hears of a reset; Wine does not end one whose socket is closed
        tcp.far().close();
        other.result();
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
