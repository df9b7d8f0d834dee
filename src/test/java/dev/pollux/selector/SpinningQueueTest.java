// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Traffic;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * Channels that count nothing of what is read from them: datagram and Unix-domain sockets, and listening ones. One
 * whose queue is ignored is named beside traffic, and none that the application takes from.
 */
@Tag("beyond-jdk")
@Tag("load")
class SpinningQueueTest {

    private static final long BETWEEN_REQUESTS_MILLIS = 50;

    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    /** Several examinations. */
    private static final long SOME_TIME = TimeUnit.MILLISECONDS.toNanos(2500);

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(16);

    private Warnings warnings;

    @BeforeEach
    void listen() {
        assumeTrue(Descriptors.PROC, "only Linux lets queues be watched");
        warnings = new Warnings();
    }

    @AfterEach
    void listenNoMore() {
        if (warnings != null) {
            warnings.close();
        }
    }

    @EachProvider
    void datagramsThatAreNotRead(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.register(selector, OP_READ);
        lab.datagram().send(ByteBuffer.allocate(12), channel.getLocalAddress());
        assertNamedBesideTraffic(lab, selector, channel, "data has arrived that is not read", " 12 bytes unread");
    }

    @EachProvider
    void bytesOfAUnixDomainSocketThatAreNotRead(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection unix = unix(lab);
        unix.near().register(selector, OP_READ);
        Io.send(unix.far());
        assertNamedBesideTraffic(lab, selector, unix.near(), "data has arrived that is not read", " 1 bytes unread");
    }

    @EachProvider
    void connectionsThatAreNotAccepted(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system selects no faster than one can accept");
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.register(selector, OP_ACCEPT);
        SocketChannel client = lab.opened(lab.provider().openSocketChannel());
        client.connect(listener.getLocalAddress());
        assertNamedBesideTraffic(lab, selector, listener, "connections have arrived that are not accepted",
                "interest OP_ACCEPT, ready OP_ACCEPT");
    }

    @EachProvider
    void acceptingThatFailsSinceNoDescriptorIsLeft(Lab lab) throws Exception {
        nameAnother(lab); // so that all classes are loaded, each of which is a file here
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.register(selector, OP_ACCEPT);
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        SocketChannel client = lab.opened(lab.provider().openSocketChannel());
        client.connect(listener.getLocalAddress());
        Deque<DatagramChannel> others = new ArrayDeque<>();
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        try {
            lab.useUpDescriptors(others);
            untilNamed(2, () -> selector.select(ready -> {
                if (ready.channel() == tcp.near()) {
                    Traffic.echo(tcp.near());
                } else {
                    acceptUnlessThereIsNoDescriptor(listener);
                }
            }));
        } finally {
            for (DatagramChannel other : others) {
                other.close();
            }
        }
        assertEquals(2, warnings.messages().size(), warnings.messages().toString());
        String message = warnings.messages().get(1);
        assertTrue(message.contains("accept fails, since no descriptor is left"), message);
        assertTrue(message.contains("ulimit -n"), message);
        Traffic.end(tcp, peer);
    }

    private void nameAnother(Lab lab) throws Exception {
        try (Selector selector = lab.provider().openSelector()) {
            Connection tcp = lab.tcp();
            tcp.near().register(selector, OP_READ);
            Io.send(tcp.far());
            untilNamed(1, () -> selector.select(ready -> { }));
        }
    }

    /** It is a byte or a datagram each time, and there is one in the queue each time. */
    @EachProvider
    void oneThatIsReadAndSentAgainIsNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.connect(channel.getLocalAddress());
        channel.register(selector, OP_READ);
        Connection unix = unix(lab);
        unix.near().register(selector, OP_READ);
        channel.write(bytes.clear().limit(1));
        Io.send(unix.far());
        forSomeTime(() -> selector.select(ready -> {
            if (ready.channel() == channel) {
                read(channel);
                write(channel);
            } else {
                read(unix.near());
                write(unix.far());
            }
        }));
        assertEquals(List.of(), warnings.messages());
    }

    @EachProvider
    void oneOfManyDatagramsThatIsReadIsNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.register(selector, OP_READ);
        Job<Void> flood = lab.start(() -> {
            ByteBuffer datagram = ByteBuffer.allocateDirect(16);
            try (DatagramChannel source = DatagramChannel.open()) {
                while (channel.isOpen()) {
                    source.send(datagram.clear(), channel.getLocalAddress());
                }
            } catch (IOException e) {
                return null; // the test is over
            }
            return null;
        });
        forSomeTime(() -> selector.select(ready -> receive(channel)));
        channel.close();
        flood.result();
        assertEquals(List.of(), warnings.messages());
    }

    /** Nothing tells them from each other. */
    @EachProvider
    void emptyDatagramsThatAreReadAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.register(selector, OP_READ);
        ByteBuffer empty = ByteBuffer.allocate(0);
        forSomeTime(() -> {
            channel.send(empty, channel.getLocalAddress());
            selector.select(ready -> receive(channel));
        });
        assertEquals(List.of(), warnings.messages());
    }

    /** One connection waits each time, and another one the next time. */
    @EachProvider
    void aConnectionThatIsAcceptedBeforeTheNextOneIsNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.register(selector, OP_ACCEPT);
        forSomeTime(() -> {
            try (SocketChannel client = lab.provider().openSocketChannel()) {
                client.connect(listener.getLocalAddress());
                selector.select(ready -> acceptAndClose(listener));
            }
        });
        assertEquals(List.of(), warnings.messages());
    }

    /** The queue is never empty. */
    @EachProvider
    void moreConnectionsThanCanBeAcceptedAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.register(selector, OP_ACCEPT);
        Job<Void> clients = lab.start(() -> {
            while (listener.isOpen()) {
                try (SocketChannel client = lab.provider().openSocketChannel()) {
                    client.connect(listener.getLocalAddress());
                } catch (IOException e) {
                    return null; // the test is over
                }
            }
            return null;
        });
        forSomeTime(() -> selector.select(ready -> acceptAndClose(listener)));
        listener.close();
        clients.result();
        assertEquals(List.of(), warnings.messages());
    }

    private static Connection unix(Lab lab) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(null);
            SocketChannel far = lab.opened(SocketChannel.open(listener.getLocalAddress()));
            SocketChannel near = lab.opened(listener.accept());
            Files.delete(((UnixDomainSocketAddress) listener.getLocalAddress()).getPath());
            near.configureBlocking(false);
            return new Connection(near, far);
        }
    }

    private void assertNamedBesideTraffic(Lab lab, Selector selector, SelectableChannel channel, String... words)
            throws Exception {
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        untilNamed(1, () -> selector.select(ready -> {
            if (ready.channel() == tcp.near()) {
                Traffic.echo(tcp.near());
            }
        }));
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        String message = warnings.messages().get(0);
        assertTrue(message.contains(Descriptors.shownName(channel)), message);
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
        Traffic.end(tcp, peer);
    }

    private void untilNamed(int count, Io.Step selection) throws Exception {
        long end = System.nanoTime() + LONG;
        while (warnings.messages().size() < count && System.nanoTime() < end) {
            selection.run();
        }
    }

    private static void forSomeTime(Io.Step selection) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            selection.run();
        }
    }

    private void read(ReadableByteChannel channel) {
        try {
            channel.read(bytes.clear().limit(1));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void write(WritableByteChannel channel) {
        try {
            channel.write(bytes.clear().limit(1));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void receive(DatagramChannel channel) {
        try {
            channel.receive(bytes.clear());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void acceptAndClose(ServerSocketChannel listener) {
        try (SocketChannel accepted = listener.accept()) {
            assertTrue(accepted == null || accepted.isOpen());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void acceptUnlessThereIsNoDescriptor(ServerSocketChannel listener) {
        try {
            assertEquals(null, listener.accept());
        } catch (IOException e) {
            return; // as it is to be
        }
    }
}
