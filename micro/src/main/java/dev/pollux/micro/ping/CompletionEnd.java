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
 * An end of an asynchronous connection. Its group's thread answers every message that has arrived. It starts the next
 * read before it sends an answer, so that the group's event loop completes that read, and never the call itself.
 *
 * <p>After {@link #start} or {@link #listen} only the group's thread uses it. It allocates nothing itself, but the
 * JDK's channel does.
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

    /** Connects. The group's thread sends the first message: it may have the answer before this one had left write. */
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
