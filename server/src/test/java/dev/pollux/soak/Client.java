// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * A connection that sends requests and wants each back before the next. After some it is closed and made anew. One
 * thread.
 */
final class Client {
    private static final int MAX_REQUESTS = 400;

    private final Clients clients;
    private final Flow flow;
    private final ByteBuffer request = ByteBuffer.allocate(1 << 16);
    private final ByteBuffer answer = ByteBuffer.allocate(8192);
    private SocketChannel channel;
    private SelectionKey key;
    private int requestsLeft;
    private int bytesLeft;
    private byte nextSent;
    private byte nextReturned;

    Client(Clients clients, Flow flow) {
        this.clients = clients;
        this.flow = flow;
    }

    void connect() throws Exception {
        SocketAddress address = clients.address();
        channel = clients.open(address);
        channel.configureBlocking(false);
        requestsLeft = 1 + Scenario.random(MAX_REQUESTS);
        nextReturned = nextSent;
        if (channel.connect(address)) {
            key = clients.register(channel, 0, this);
            send(true);
        } else {
            key = clients.register(channel, OP_CONNECT, this);
        }
    }

    /** Does what the key is ready for. */
    void ready() throws Exception {
        try {
            if (key.isConnectable() && channel.finishConnect()) {
                send(true);
            } else {
                if (key.isReadable()) {
                    receive();
                }
                if (key.isValid() && key.isWritable()) {
                    send(false);
                }
            }
        } catch (IOException e) {
            clients.cut(e);
            again();
        }
    }

    private void send(boolean fresh) throws IOException {
        if (fresh) {
            request.clear().limit(Scenario.oneIn(16) ? 1 + Scenario.random(1 << 16) : 1 + Scenario.random(200));
            for (int i = 0; i < request.limit(); i++) {
                request.put(i, nextSent++);
            }
            bytesLeft = request.limit();
        }
        clients.tally().sent.add(channel.write(request));
        key.interestOps(request.hasRemaining() ? OP_READ | OP_WRITE : OP_READ);
    }

    private void receive() throws Exception {
        for (int n; bytesLeft > 0 && (n = channel.read(answer.clear())) != 0; ) {
            if (n < 0) {
                throw new IOException("end of stream, " + bytesLeft + " bytes missing");
            }
            verify(n);
            bytesLeft -= n;
            clients.tally().returned.add(n);
        }
        if (bytesLeft == 0) {
            next();
        }
    }

    private void verify(int n) {
        for (int i = 0; i < n; i++) {
            if (answer.get(i) != nextReturned++) {
                throw new IllegalStateException("another byte came back than was sent");
            }
        }
        if (n > bytesLeft) {
            throw new IllegalStateException("more came back than was sent");
        }
    }

    private void next() throws Exception {
        flow.beat();
        clients.tally().exchanges.increment();
        if (clients.isStopping()) {
            channel.close();
            clients.ended(flow);
        } else if (--requestsLeft > 0) {
            send(true);
        } else {
            again();
        }
    }

    private void again() throws Exception {
        if (Scenario.oneIn(2) && channel.isOpen() && clients.isTcp(channel)) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0); // the server reads a reset
        }
        channel.close();
        connect();
    }
}
