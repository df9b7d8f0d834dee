// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.ping.Ping.Mode;
import dev.pollux.micro.ping.Pinger.Trips;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * An end of an asynchronous connection, whose handlers run in the one thread of its group, which waits in the group's
 * event loop. That thread starts the next read before it sends an answer, so that the event loop completes that read,
 * and never the call itself. Once it has begun only the group's thread uses an end. It allocates nothing itself, but
 * the JDK's channel does.
 */
final class Asynchronous implements CompletionHandler<Integer, Boolean> {
    private final AsynchronousSocketChannel channel;
    private final ByteBuffer incoming;
    private final ByteBuffer outgoing;
    /** Null at the far end, which answers everything. */
    private final Trips trips;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private Asynchronous(AsynchronousSocketChannel channel, int size, Trips trips) throws IOException {
        this.channel = channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        incoming = ByteBuffer.allocateDirect(size);
        outgoing = ByteBuffer.allocateDirect(size);
        this.trips = trips;
    }

    /** With one group for both ends, everything happens in one thread. */
    static void exchange(Mode mode, int size, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        AsynchronousChannelGroup nearGroup = group(Mode.PINGER);
        AsynchronousChannelGroup farGroup = mode == Mode.ONE ? nearGroup : group(Mode.PONGER);
        mode.bind();
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open(farGroup)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                AsynchronousSocketChannel near = AsynchronousSocketChannel.open(nearGroup)) {
            Asynchronous pinger = new Asynchronous(near, size, trips);
            pinger.connect(server.getLocalAddress());
            try (AsynchronousSocketChannel far = server.accept().get()) {
                Asynchronous ponger = new Asynchronous(far, size, null);
                ponger.listen();
                pinger.ended.get();
                near.shutdownOutput();
                ponger.ended.get();
            }
        } finally {
            nearGroup.shutdownNow();
            farGroup.shutdownNow();
        }
    }

    private static AsynchronousChannelGroup group(String name) throws IOException {
        return AsynchronousChannelGroup.withFixedThreadPool(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The group's thread sends the first message: it may have the answer before this one had left write. */
    private void connect(SocketAddress address) {
        channel.connect(address, false, new CompletionHandler<Void, Boolean>() {
            @Override
            public void completed(Void none, Boolean isRead) {
                listen();
                send((byte) 1);
            }

            @Override
            public void failed(Throwable thrown, Boolean isRead) {
                Asynchronous.this.failed(thrown, isRead);
            }
        });
    }

    private void listen() {
        channel.read(incoming.clear(), true, this);
    }

    private void send(byte number) {
        outgoing.put(0, number);
        channel.write(outgoing.clear(), false, this);
    }

    /** A read is complete, or a write. */
    @Override
    public void completed(Integer count, Boolean isRead) {
        byte number = incoming.get(0);
        if (!isRead) {
            if (count < outgoing.capacity()) {
                failed(new IOException("the socket's buffer takes " + count + " bytes only"), false);
            }
        } else if (count < 0) {
            ended.complete(null);
        } else if (incoming.hasRemaining()) {
            channel.read(incoming, true, this);
        } else if (trips != null && number != (byte) (outgoing.get(0) + 1)) {
            failed(new IOException("message " + outgoing.get(0) + " was answered with " + number), true);
        } else if (trips == null || trips.next()) {
            listen();
            send((byte) (number + 1));
        } else {
            ended.complete(null);
        }
    }

    @Override
    public void failed(Throwable thrown, Boolean isRead) {
        ended.completeExceptionally(thrown);
    }
}
