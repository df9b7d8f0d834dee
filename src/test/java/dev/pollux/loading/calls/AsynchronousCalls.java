// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import static dev.pollux.loading.calls.Transcript.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Reads and writes of asynchronous channels, with a future and with a handler, as groups of buffers too. */
public final class AsynchronousCalls {

    private AsynchronousCalls() {
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open().bind(Ends.loopback())) {
            transfers(server);
            pending(server);
            ends(server);
        }
        reset();
    }

    private record Pair(AsynchronousSocketChannel near, AsynchronousSocketChannel far) implements AutoCloseable {
        static Pair of(AsynchronousServerSocketChannel server) throws Exception {
            AsynchronousSocketChannel near = AsynchronousSocketChannel.open();
            near.connect(server.getLocalAddress()).get();
            return new Pair(near, server.accept().get());
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
        }
    }

    private static void transfers(AsynchronousServerSocketChannel server) throws Exception {
        try (Pair pair = Pair.of(server)) {
            for (int size : new int[] {0, 1, 8192}) {
                write("write " + size, () -> pair.near().write(ByteBuffer.allocate(size)).get());
                write("read " + size, () -> size == 0 ? "not asked for" : read(pair.far(), size));
            }
        }
        try (Pair pair = Pair.of(server)) {
            Handler<Long> written = new Handler<>();
            pair.near().write(slices(1500, 2), 0, 1500, 1, TimeUnit.MINUTES, null, written);
            write("gather", written::get);
            Handler<Long> read = new Handler<>();
            pair.far().read(slices(1500, 1), 0, 1500, 1, TimeUnit.MINUTES, null, read);
            write("scatter", read::get);
        }
    }

    private static int read(AsynchronousSocketChannel channel, int size) throws Exception {
        ByteBuffer room = ByteBuffer.allocateDirect(size);
        int got = 0;
        while (got >= 0 && room.hasRemaining()) {
            got = channel.read(room).get();
        }
        return room.position();
    }

    private static void pending(AsynchronousServerSocketChannel server) throws Exception {
        try (Pair pair = Pair.of(server)) {
            Future<Integer> read = pair.near().read(ByteBuffer.allocate(9));
            pair.far().write(ByteBuffer.allocate(4)).get();
            write("pending read", read::get);
            Handler<Integer> late = new Handler<>();
            pair.near().read(ByteBuffer.allocate(9), 20, TimeUnit.MILLISECONDS, null, late);
            write("timeout of a read", late::get);
        }
        try (Pair pair = Pair.of(server)) {
            Future<Integer> read = pair.near().read(ByteBuffer.allocate(9));
            pair.near().close();
            write("closed while a read is pending", read::get);
            write("read when closed", () -> pair.near().read(ByteBuffer.allocate(9)).get());
        }
    }

    private static void ends(AsynchronousServerSocketChannel server) throws Exception {
        try (Pair pair = Pair.of(server)) {
            pair.far().shutdownOutput();
            write("read at the end", () -> pair.near().read(ByteBuffer.allocate(9)).get());
            pair.near().shutdownOutput();
            write("write after shutdown", () -> pair.near().write(ByteBuffer.allocate(9)).get());
        }
    }

    private static void reset() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(Ends.loopback());
                AsynchronousSocketChannel near = AsynchronousSocketChannel.open()) {
            near.connect(server.getLocalAddress()).get();
            Future<Integer> read = near.read(ByteBuffer.allocate(9));
            Ends.reset(server.accept());
            write("reset while a read is pending", read::get);
            write("read after a reset", () -> near.read(ByteBuffer.allocate(9)).get());
            write("write after a reset", () -> near.write(ByteBuffer.allocate(9)).get());
        }
    }

    private static ByteBuffer[] slices(int count, int size) {
        ByteBuffer[] slices = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            slices[i] = ByteBuffer.allocate(size);
        }
        return slices;
    }

    private static final class Handler<V> implements CompletionHandler<V, Void> {
        private final CompletableFuture<V> result = new CompletableFuture<>();

        @Override
        public void completed(V value, Void attachment) {
            result.complete(value);
        }

        @Override
        public void failed(Throwable e, Void attachment) {
            result.completeExceptionally(e);
        }

        V get() throws Exception {
            return result.get();
        }
    }
}
