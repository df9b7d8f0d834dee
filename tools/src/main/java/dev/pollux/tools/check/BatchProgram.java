// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pollux.internal.batch.Streams;
import dev.pollux.tools.common.Bench;
import dev.pollux.tools.common.Bench.Connection;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/** A program with a batch, which must behave as without one. It prints whether there is one, or why there is none. */
final class BatchProgram {
    static final String OFF = "off: ";

    private static final int CONNECTIONS = 8;
    private static final int TURNS = 200;
    private static final int PIECES = 3;
    private static final int BIG = 100_000;

    private final Bench bench;
    private final List<Connection> connections = new ArrayList<>();
    private final List<SelectionKey> keys = new ArrayList<>();

    private BatchProgram(Bench bench) throws IOException {
        this.bench = bench;
        for (int i = 0; i < CONNECTIONS; i++) {
            Connection connection = bench.connection();
            connection.near().setOption(StandardSocketOptions.TCP_NODELAY, true);
            connections.add(connection);
            keys.add(bench.register(connection.near(), OP_READ));
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (Bench bench = new Bench(SelectorProvider.provider())) {
            String outcome = Streams.outcome();
            System.out.println(outcome);
            if (!outcome.startsWith(OFF)) {
                check(bench);
                Bench.require(bench.deferredWrites() > 0, "writes are deferred");
            }
        }
        System.exit(0);
    }

    /** Serves connections in turns, and then ends them in each way. */
    static void check(Bench bench) throws IOException, InterruptedException {
        BatchProgram loop = new BatchProgram(bench);
        for (int turn = 0; turn < TURNS; turn++) {
            loop.serve(turn);
        }
        loop.reportWhatIsUnread();
        loop.keepOrderAmongThreads();
        loop.writeMoreThanFits();
        loop.endEach();
    }

    /** A request on each connection, and a reply in pieces. */
    private void serve(int turn) throws IOException {
        for (Connection connection : connections) {
            connection.far().write(Bench.bytes("request " + turn));
        }
        for (int answered = 0; answered < CONNECTIONS;) {
            answered += select();
            for (SelectionKey key : bench.selector.selectedKeys()) {
                Bench.require(("request " + turn).equals(Bench.read((SocketChannel) key.channel())), "what is read");
                for (int piece = 0; piece < PIECES; piece++) {
                    ((SocketChannel) key.channel()).write(Bench.bytes(turn + "." + piece + " "));
                }
            }
            bench.selector.selectedKeys().clear();
        }
        bench.expectNothing("after all was read");
        for (Connection connection : connections) {
            expect(connection.far(), turn + ".0 " + turn + ".1 " + turn + ".2 ");
        }
    }

    private int select() throws IOException {
        int count = bench.selector.select(Bench.MAX_WAIT_MILLIS);
        Bench.require(count > 0, "what has arrived is reported");
        return count;
    }

    private static void expect(SocketChannel channel, String text) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(text.length());
        int count;
        do {
            count = channel.read(all);
        } while (count >= 0 && all.hasRemaining());
        String arrived = new String(all.array(), 0, all.position(), US_ASCII);
        Bench.require(text.equals(arrived), "\"" + text + "\" arrives, not \"" + arrived + '"');
    }

    private void reportWhatIsUnread() throws IOException {
        for (Connection connection : connections) {
            connection.far().write(Bench.bytes("data"));
        }
        for (int reported = 0; reported < CONNECTIONS;) {
            reported += select();
        }
        bench.selector.selectedKeys().clear();
        Bench.require(select() == CONNECTIONS, "what is not read is reported again");
        bench.selector.selectedKeys().clear();
        for (Connection connection : connections) {
            Bench.require("data".equals(Bench.read(connection.near())), "what was reported twice is read once");
        }
        bench.expectNothing("after all was read");
    }

    private void keepOrderAmongThreads() throws IOException, InterruptedException {
        for (Connection connection : connections) {
            connection.near().write(Bench.bytes("first "));
        }
        List<IOException> failures = new ArrayList<>();
        Thread other = new Thread(() -> {
            try {
                for (Connection connection : connections) {
                    connection.near().write(Bench.bytes("second "));
                }
            } catch (IOException e) {
                failures.add(e);
            }
        }, "Pollux check: another writer");
        other.start();
        other.join();
        Bench.require(failures.isEmpty(), "another thread writes: " + failures);
        for (Connection connection : connections) {
            expect(connection.far(), "first second ");
        }
    }

    private void writeMoreThanFits() throws IOException {
        Connection connection = connections.get(0);
        ByteBuffer big = ByteBuffer.allocateDirect(BIG);
        connection.near().write(Bench.bytes("small "));
        int count;
        do {
            count = connection.near().write(big);
        } while (count > 0 && big.hasRemaining());
        expect(connection.far(), "small ");
        Bench.receive(connection.far(), ByteBuffer.allocate(big.position()));
    }

    private void endEach() throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            Connection connection = connections.get(i);
            connection.near().write(Bench.bytes("the end"));
            switch (i % 3) {
                case 0 -> connection.near().shutdownOutput();
                case 1 -> connection.near().close();
                default -> {
                    keys.get(i).cancel();
                    bench.selector.selectNow();
                    connection.near().close();
                }
            }
            expect(connection.far(), "the end");
            Bench.require(Bench.read(connection.far()) == null, "the stream ends after the last byte");
        }
    }
}
