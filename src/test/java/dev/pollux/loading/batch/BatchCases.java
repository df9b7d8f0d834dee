// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;

/**
 * Writes to, and reads from, several connections in each turn, then does something special. Takes the port of a server
 * that sends back what it gets, and what is to happen.
 */
public final class BatchCases extends WarmBatch {
    private static final int CONNECTIONS = 6;
    private static final int TURNS = 200;

    private final List<SocketChannel> channels = new ArrayList<>();

    private BatchCases(int port) throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            channels.add(channel);
        }
    }

    public static void main(String[] arguments) throws Exception {
        BatchCases cases = new BatchCases(Integer.parseInt(arguments[0]));
        cases.run(TURNS, cases::takeTurn, switch (arguments[1]) {
            case "unread" -> cases::reportsUnread;
            case "reregistered" -> cases::takesUnreadAlong;
            case "reset" -> cases::throwsLate;
            case "counted" -> BatchCases::isCounted;
            case "full" -> cases::fillAllAndExit;
            case "exit" -> () -> cases.askAllAnd(() -> System.exit(0));
            case "halt" -> () -> cases.askAllAnd(() -> Runtime.getRuntime().halt(0));
            default -> throw new IllegalArgumentException(arguments[1]);
        });
        System.exit(0);
    }

    private void takeTurn() throws Exception {
        askAll();
        selector.selectNow();
        Thread.sleep(2); // so that one selection has all replies
        hearAll();
    }

    private void askAllAnd(Runnable end) throws IOException {
        System.out.println("as it should be");
        System.out.flush();
        askAll();
        end.run();
    }

    /** The server reads slowly what begins with an S; every other channel is closed before the end. */
    private void fillAllAndExit() throws IOException {
        long accepted = 0;
        for (int full = 0; full < CONNECTIONS;) {
            full = 0;
            for (SocketChannel channel : channels) {
                buffer.clear();
                int written = channel.write(buffer.put(0, (byte) 'S'));
                accepted += written;
                full += written == 0 ? 1 : 0;
            }
            selector.selectNow();
        }
        for (int i = 0; i < CONNECTIONS; i += 2) {
            channels.get(i).close();
        }
        System.out.println("accepted " + accepted + "\nas it should be");
        System.exit(0);
    }

    private void ask(SocketChannel channel) throws IOException {
        buffer.clear().limit(BYTES);
        require(channel.write(buffer) == BYTES, "a short write");
    }

    private void askAll() throws IOException {
        for (SocketChannel channel : channels) {
            ask(channel);
        }
    }

    private void hearAll() throws IOException {
        int missing = CONNECTIONS * BYTES;
        while (missing > 0) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                buffer.clear();
                missing -= ((SocketChannel) key.channel()).read(buffer);
            }
            selector.selectedKeys().clear();
        }
    }

    /** What was not read is reported by every selection, and is there. */
    private void reportsUnread() throws Exception {
        askAll();
        awaitReady();
        for (int i = 0; i < 5; i++) {
            require(selectNow() == CONNECTIONS, "not all are reported again");
        }
        buffer.clear().limit(BYTES / 2);
        require(channels.get(0).read(buffer) == BYTES / 2, "a part");
        require(selectNow() == CONNECTIONS, "the rest is not reported");
        require(channels.get(1).socket().getInputStream().available() == BYTES, "available");
        channels.get(2).keyFor(selector).interestOps(0);
        require(selectNow() == CONNECTIONS - 1, "what is not asked for is reported");
        channels.get(2).keyFor(selector).interestOps(SelectionKey.OP_READ);
        require(selectNow() == CONNECTIONS, "it is not reported again");
        buffer.clear();
        int read = channels.get(0).read(buffer);
        require(read == BYTES - BYTES / 2, "the rest: " + read);
        require(selector.selectNow() == CONNECTIONS - 1, "what was read is reported");
    }

    private void awaitReady() throws Exception {
        while (selectNow() < CONNECTIONS) {
            Thread.sleep(1);
        }
    }

    /** Unread bytes go along to another selector, and to blocking mode. */
    private void takesUnreadAlong() throws Exception {
        askAll();
        awaitReady();
        SocketChannel moved = channels.get(0);
        moved.keyFor(selector).cancel();
        selectNow();
        try (Selector other = Selector.open()) {
            moved.register(other, SelectionKey.OP_READ);
            require(other.select() == 1, "the other selector does not report it");
            buffer.clear();
            require(moved.read(buffer) == BYTES, "its bytes");
        }
        SocketChannel blocking = channels.get(1);
        blocking.keyFor(selector).cancel();
        selector.selectNow();
        blocking.configureBlocking(true);
        buffer.clear();
        require(blocking.read(buffer) == BYTES, "the bytes of the blocking one");
    }

    /** The server resets a connection; the error is thrown once, at the next operation at the latest. */
    private void throwsLate() throws Exception {
        SocketChannel victim = channels.get(0);
        buffer.clear();
        buffer.put(0, (byte) 'R').limit(BYTES); // what the server answers by a reset
        require(victim.write(buffer) == BYTES, "a short write");
        Thread.sleep(100); // it is sent in time without this thread
        askAllUntilReset(victim);
    }

    private void askAllUntilReset(SocketChannel victim) throws Exception {
        buffer.put(0, (byte) 0);
        for (int i = 0; i < 3; i++) {
            try {
                askAll();
                selectNow();
                buffer.clear();
                if (victim.read(buffer) < 0) {
                    throw new AssertionError("an end instead of an error");
                }
            } catch (IOException expected) {
                System.out.println(expected);
                return;
            }
        }
        throw new AssertionError("no error");
    }

    /** JMX has what toString() has. */
    private static void isCounted() throws Exception {
        long batches = counter("Batches");
        long byReason = 0;
        for (String reason : List.of("Wait", "Call", "Read", "Age", "Full")) {
            byReason += counter("BatchesOn" + reason);
        }
        require(batches > 0 && byReason == batches, batches + " batches, " + byReason + " by reason");
        require(counter("DeferredWrites") > batches, counter("DeferredWrites") + " writes in " + batches + " batches");
        require(counter("LateErrors") == 0, "late errors");
    }

    private static long counter(String name) throws Exception {
        ObjectName loops = new ObjectName("dev.pollux:type=Loops");
        return (Long) ManagementFactory.getPlatformMBeanServer().getAttribute(loops, name);
    }
}
