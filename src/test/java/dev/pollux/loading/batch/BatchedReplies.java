// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * A server with one selecting thread that answers each request in one of the ways in which a program may write: a
 * request is the length of its reply, the first byte, and the way.
 */
final class BatchedReplies implements AutoCloseable {
    /** Bytes of a request: three ints. */
    static final int REQUEST = 12;

    static final int LONGEST = 300_000;

    /** How a reply is written. The last two end the connection. */
    enum Way { DIRECT, HEAP, GATHERING, PIECES, OTHER_THREAD, FILE, SPIN, HOLD, BLOCKING, SECOND_SELECTOR, SHUTDOWN,
        CLOSE }

    final Semaphore heard = new Semaphore(0);
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Selector second;
    private final FileChannel file;
    private final ExecutorService others = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });
    private final List<Connection> returning = new ArrayList<>();

    BatchedReplies(ServerSocketChannel listener) throws IOException {
        this.listener = listener;
        Path path = Files.createTempFile("pattern", null);
        ByteBuffer pattern = ByteBuffer.allocate(LONGEST + 256);
        while (pattern.hasRemaining()) {
            pattern.put((byte) pattern.position());
        }
        Files.write(path, pattern.array());
        file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
        selector = Selector.open();
        second = Selector.open();
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** What one connection is about to do. Of the selecting thread, or of the one that it was handed to. */
    private static final class Connection {
        final SocketChannel channel;
        final ByteBuffer requests = ByteBuffer.allocateDirect(10 * REQUEST);
        ByteBuffer rest = ByteBuffer.allocate(0);
        boolean ends;
        boolean shuts;
        boolean isAway;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /** Serves until the selector is closed. */
    void run() throws IOException, InterruptedException {
        while (selector.isOpen()) {
            selector.select();
            if (!selector.isOpen()) {
                return;
            }
            takeBack();
            List<SelectionKey> ready = new ArrayList<>(selector.selectedKeys()); // one of the ways selects, too
            selector.selectedKeys().clear();
            for (SelectionKey key : ready) {
                if (!key.isValid()) {
                    continue;
                }
                if (key.isAcceptable()) {
                    accept();
                } else {
                    serve(key, (Connection) key.attachment());
                }
            }
        }
    }

    private void accept() throws IOException {
        SocketChannel accepted = listener.accept();
        if (accepted != null) {
            accepted.configureBlocking(false);
            accepted.register(selector, SelectionKey.OP_READ, new Connection(accepted));
        }
    }

    private void serve(SelectionKey key, Connection connection) throws InterruptedException {
        try {
            if (connection.isAway) {
                key.interestOps(0);
                return;
            }
            serveAll(key, connection);
        } catch (ClosedChannelException gone) {
            key.cancel();
        } catch (IOException reset) {
            close(connection);
        }
    }

    private void serveAll(SelectionKey key, Connection connection) throws IOException, InterruptedException {
        ByteBuffer requests = connection.requests;
        boolean ended = requests.hasRemaining() && connection.channel.read(requests) < 0;
        while (key.isValid() && !connection.isAway && finish(connection)) {
            requests.flip();
            if (requests.remaining() < REQUEST) {
                requests.compact();
                break;
            }
            int length = requests.getInt();
            int first = requests.getInt();
            Way way = Way.values()[requests.getInt()];
            requests.compact();
            answer(key, connection, length, first, way);
        }
        if (!connection.channel.isOpen() || !key.isValid()) {
            return;
        }
        if (connection.rest.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
        } else if (ended) {
            connection.channel.close();
        } else if (!connection.isAway) {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /** Writes what is left; true if nothing is, and the connection goes on. */
    private static boolean finish(Connection connection) throws IOException {
        if (connection.rest.hasRemaining()) {
            connection.channel.write(connection.rest);
        }
        if (connection.rest.hasRemaining()) {
            return false;
        }
        if (connection.shuts) {
            connection.shuts = false;
            connection.channel.shutdownOutput();
        }
        if (connection.ends) {
            connection.channel.close();
        }
        return connection.channel.isOpen();
    }

    private void answer(SelectionKey key, Connection connection, int length, int first, Way way)
            throws IOException, InterruptedException {
        ByteBuffer reply = reply(length, first, way != Way.HEAP);
        SocketChannel channel = connection.channel;
        connection.rest = reply;
        switch (way) {
            case GATHERING -> reply.position((int) channel.write(thirds(reply)));
            case PIECES -> writePieces(channel, reply);
            case OTHER_THREAD -> away(key, connection, () -> writeAll(channel, reply));
            case FILE -> {
                long sent = file.transferTo(first, length, channel);
                reply.position((int) sent);
            }
            case SPIN -> spin(connection, reply);
            case HOLD -> hold(channel, reply);
            case BLOCKING -> block(key, connection, reply);
            case SECOND_SELECTOR -> joinSecond(channel, reply);
            case SHUTDOWN -> connection.shuts = true;
            case CLOSE -> connection.ends = true;
            default -> channel.write(reply);
        }
    }

    private static ByteBuffer reply(int length, int first, boolean direct) {
        ByteBuffer reply = direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            reply.put((byte) (first + i));
        }
        return reply.flip();
    }

    private static ByteBuffer[] thirds(ByteBuffer reply) {
        int third = reply.remaining() / 3;
        return new ByteBuffer[] {reply.slice(0, third), reply.slice(third, third),
            reply.slice(2 * third, reply.remaining() - 2 * third)};
    }

    private static void writePieces(SocketChannel channel, ByteBuffer reply) throws IOException {
        int end = reply.limit();
        for (int size = 1; reply.position() < end; size = size * 3 % 1009 + 1) {
            int before = reply.position();
            reply.limit(Math.min(end, before + size));
            channel.write(reply);
            boolean isFull = reply.hasRemaining();
            reply.limit(end);
            if (isFull) {
                return;
            }
        }
    }

    private static void writeAll(SocketChannel channel, ByteBuffer reply) throws IOException {
        while (reply.hasRemaining()) {
            if (channel.write(reply) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** A few bytes by this thread, and the rest by another one, which gives the connection back. */
    private void away(SelectionKey key, Connection connection, Work work) throws IOException {
        ByteBuffer reply = connection.rest;
        int end = reply.limit();
        reply.limit(Math.min(end, 5));
        connection.channel.write(reply);
        reply.limit(end);
        connection.isAway = true;
        key.interestOps(0);
        others.execute(() -> {
            try {
                work.run();
            } catch (IOException e) {
                close(connection);
            }
            synchronized (returning) {
                returning.add(connection);
            }
            selector.wakeup();
        });
    }

    private void takeBack() throws InterruptedException {
        List<Connection> back;
        synchronized (returning) {
            back = new ArrayList<>(returning);
            returning.clear();
        }
        for (Connection connection : back) {
            connection.isAway = false;
            SelectionKey key = connection.channel.keyFor(selector);
            if (key != null && key.isValid()) {
                serve(key, connection);
            }
        }
    }

    /** The client says that it has the reply by one more request, for no byte; nobody selects meanwhile. */
    private static void spin(Connection connection, ByteBuffer reply) throws IOException {
        connection.channel.write(reply);
        if (!reply.hasRemaining()) {
            int before = connection.requests.position();
            while (connection.requests.position() == before && connection.requests.hasRemaining()) {
                if (connection.channel.read(connection.requests) < 0) {
                    return;
                }
            }
        }
    }

    /** The thread does something else until the client has the reply. */
    private void hold(SocketChannel channel, ByteBuffer reply) throws IOException, InterruptedException {
        channel.write(reply);
        if (!reply.hasRemaining()) {
            heard.acquire();
        }
    }

    private void block(SelectionKey key, Connection connection, ByteBuffer reply) throws IOException {
        int end = reply.limit();
        reply.limit(Math.min(end, 7));
        connection.channel.write(reply);
        reply.limit(end);
        key.cancel();
        selector.selectNow(); // its keys are taken by the next selection again: none of them is lost
        connection.isAway = true;
        connection.channel.configureBlocking(true);
        others.execute(() -> {
            try {
                writeAll(connection.channel, reply);
                connection.channel.configureBlocking(false);
                selector.wakeup();
                connection.channel.register(selector, SelectionKey.OP_READ, connection);
            } catch (IOException e) {
                close(connection);
            }
            synchronized (returning) {
                returning.add(connection);
            }
            selector.wakeup();
        });
    }

    private void joinSecond(SocketChannel channel, ByteBuffer reply) throws IOException {
        int end = reply.limit();
        reply.limit(Math.min(end, 9));
        channel.write(reply);
        reply.limit(end);
        SelectionKey key = channel.register(second, SelectionKey.OP_READ);
        second.selectNow();
        channel.write(reply);
        key.cancel();
        second.selectNow();
    }

    private static void close(Connection connection) {
        try {
            connection.channel.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String state() {
        return WarmBatch.counters(selector);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        selector.close();
        second.close();
        file.close();
        others.shutdownNow();
    }
}
