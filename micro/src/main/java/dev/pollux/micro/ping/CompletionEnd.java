// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;

/**
 * An end of an asynchronous connection: every message that has arrived is answered by its group's thread. An answer is sent after
 * the next read was asked for, so that this read is always completed by the group's event loop, never on the spot.
 *
 * <p>After {@link #start} or {@link #listen} only the group's thread uses it. No allocation of its own; the JDK's channel allocates.
 */
final class CompletionEnd implements Closeable {
    /** Says whether to answer the message just received. */
    interface Received {
        boolean goOn(byte number, byte answered) throws IOException;
    }

    private final AsynchronousSocketChannel channel;
    private final ByteBuffer incoming;
    private final ByteBuffer outgoing;
    private final Received received;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private final CompletionHandler<Integer, Void> reader = new Handler<>() {
        @Override
        public void completed(Integer count, Void none) {
            try {
                hasRead(count);
            } catch (IOException e) {
                failed(e, none);
            }
        }
    };

    private final CompletionHandler<Integer, Void> writer = new Handler<>() {
        @Override
        public void completed(Integer count, Void none) {
            if (count < outgoing.capacity()) {
                failed(new IOException("the socket's buffer takes " + count + " bytes only"), none);
            }
        }
    };

    CompletionEnd(AsynchronousSocketChannel channel, int size, Received received) {
        this.channel = channel;
        this.incoming = ByteBuffer.allocateDirect(size);
        this.outgoing = ByteBuffer.allocateDirect(size);
        this.received = received;
    }

    /** Asks for the first message. */
    void listen() {
        channel.read(incoming.clear(), null, reader);
    }

    /** Connects and sends the first message; that by the group's thread, which may have an answer before this one had left write. */
    void start(SocketAddress address) {
        channel.connect(address, null, new Handler<Void>() {
            @Override
            public void completed(Void nothing, Void none) {
                answer((byte) 1);
            }
        });
    }

    /** Is completed when the other end has closed the connection, or {@link Received} has said that it is enough. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    private void hasRead(int count) throws IOException {
        if (count < 0) {
            ended.complete(null);
        } else if (incoming.hasRemaining()) {
            channel.read(incoming, null, reader);
        } else if (received.goOn(incoming.get(0), outgoing.get(0))) {
            answer((byte) (incoming.get(0) + 1));
        } else {
            ended.complete(null);
        }
    }

    private void answer(byte number) {
        listen();
        outgoing.put(0, number);
        channel.write(outgoing.clear(), null, writer);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private abstract class Handler<T> implements CompletionHandler<T, Void> {
        @Override
        public void failed(Throwable thrown, Void none) {
            ended.completeExceptionally(thrown);
        }
    }
}
