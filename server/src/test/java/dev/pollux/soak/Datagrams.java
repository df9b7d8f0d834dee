// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import dev.pollux.lab.Workbench;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Datagrams go to and fro, one at a time for each pair. The kernel may drop one; then it is sent again, but only if it
 * is seen not to be there without having been reported.
 */
final class Datagrams extends Scenario {
    private static final int PAIRS = 4;
    private static final long PATIENCE_MILLIS = 5000;

    Datagrams(Site site) {
        super(site);
    }

    @Override
    void start() throws Exception {
        Selector echo = selector();
        for (int i = 0; i < PAIRS; i++) {
            DatagramChannel server = datagram();
            server.register(echo, OP_READ);
            Flow flow = flow("pair " + i);
            drive("pair " + i, () -> ask(server.getLocalAddress(), flow));
        }
        serve("echo", () -> {
            ByteBuffer buffer = ByteBuffer.allocate(64);
            while (!isClosing()) {
                echo.select(key -> answer(key, buffer));
            }
        });
    }

    private DatagramChannel datagram() throws Exception {
        DatagramChannel channel = opened(opening(site.provider()::openDatagramChannel));
        channel.bind(Workbench.loopback(0)).configureBlocking(false);
        return channel;
    }

    private void answer(SelectionKey key, ByteBuffer buffer) {
        tally.events.increment();
        DatagramChannel channel = (DatagramChannel) key.channel();
        try {
            SocketAddress from = channel.receive(buffer.clear());
            if (from != null) {
                channel.send(buffer.flip(), from);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void ask(SocketAddress server, Flow flow) throws Exception {
        Selector selector = selector();
        DatagramChannel channel = datagram();
        SelectionKey key = channel.register(selector, OP_READ);
        ByteBuffer buffer = ByteBuffer.allocate(64);
        int unreported = 0;
        for (long number = 0; !isStopping(); number++) {
            channel.send(buffer.clear().putLong(number).flip(), server);
            tally.sent.add(Long.BYTES);
            long answer = -1;
            while (answer < number) {
                int ready = selector.select(PATIENCE_MILLIS);
                answer = receive(selector, channel, buffer, number, server, ready);
                unreported = ready == 0 && answer >= 0 ? unreported + 1 : 0;
                // One may come just after a selection has given up; three in a row do not.
                if (unreported == 3) {
                    throw new IllegalStateException("datagrams were there and not reported");
                }
            }
            tally.returned.add(Long.BYTES);
            tally.exchanges.increment();
            flow.beat();
            if (oneIn(8)) { // always ready for writing
                key.interestOps(OP_READ | OP_WRITE);
                tally.events.add(selector.select(ready -> ready.interestOps(OP_READ)));
                tally.changes.add(2);
            }
            pause();
        }
    }

    /** The number in the next datagram, or -1 if the request was sent again. */
    private long receive(Selector selector, DatagramChannel channel, ByteBuffer buffer, long number,
            SocketAddress server, int ready) throws Exception {
        selector.selectedKeys().clear();
        if (channel.receive(buffer.clear()) != null) {
            return buffer.flip().getLong();
        }
        if (ready == 0) {
            channel.send(buffer.clear().putLong(number).flip(), server);
            tally.expected.increment();
        }
        return -1;
    }
}
