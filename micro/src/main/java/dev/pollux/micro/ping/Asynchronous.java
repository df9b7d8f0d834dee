// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.concurrent.ExecutionException;

/**
 * The exchange by completion handlers. Each end's handlers run in the one thread of its group, which waits in the
 * group's event loop. With one group for both ends, everything happens in one thread. Allocates nothing per trip.
 */
final class Asynchronous {
    private Asynchronous() { }

    static void exchange(Mode mode, int size, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        AsynchronousChannelGroup nearGroup = group(Synchronous.PINGER);
        AsynchronousChannelGroup farGroup = mode == Mode.ONE ? nearGroup : group(Synchronous.PONGER);
        if (mode == Mode.PINNED) {
            Pin.apart(Synchronous.PINGER, Synchronous.PONGER);
        }
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open(farGroup)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            exchange(prepared(AsynchronousSocketChannel.open(nearGroup)), server, size, trips);
        } finally {
            nearGroup.shutdownNow();
            farGroup.shutdownNow();
        }
    }

    private static void exchange(AsynchronousSocketChannel near, AsynchronousServerSocketChannel server, int size,
            Trips trips) throws IOException, InterruptedException, ExecutionException {
        CompletionEnd.Received received = (number, sent) -> checked(number, sent) && trips.next();
        try (CompletionEnd pinger = new CompletionEnd(near, size, received)) {
            pinger.start(server.getLocalAddress());
            AsynchronousSocketChannel far = prepared(server.accept().get());
            try (CompletionEnd ponger = new CompletionEnd(far, size, (number, sent) -> true)) {
                ponger.listen();
                pinger.ended().get();
                near.shutdownOutput();
                ponger.ended().get();
            }
        }
    }

    private static AsynchronousChannelGroup group(String name) throws IOException {
        return AsynchronousChannelGroup.withFixedThreadPool(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    private static AsynchronousSocketChannel prepared(AsynchronousSocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    private static boolean checked(byte number, byte sent) throws IOException {
        if (number != (byte) (sent + 1)) {
            throw new IOException("message " + sent + " was answered with " + number);
        }
        return true;
    }
}
