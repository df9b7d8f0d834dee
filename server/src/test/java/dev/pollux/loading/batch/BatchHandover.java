// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.pollux.Poller;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.PollSelectorProvider;

/**
 * A channel leaves its selector while bytes are unread, and the kernel is owed others: another one takes it over, reads
 * what was unread and what comes then, writes, and closes it. Takes who that is, and, one after the other, what the
 * kernel is owed: {@code nothing}, {@code deferred}, or {@code rest} for a full socket; prints what each side has seen.
 */
public final class BatchHandover extends PairedBatch {
    private static final int TURNS = 100;
    private static final int TAIL = 1000;
    private static final int MILLIS = 5000;
    private static final String UNREAD = "0123456789";
    private static final String MORE = "abcdefghij";

    private final SocketChannel moved = near.get(0);
    private final SocketChannel peer = far.get(0);
    private final String who;
    private final String owed;
    private long written;
    private FutureTask<String> peerReads;

    /** Waits for bytes, and reads some. */
    private interface Reader {
        int read(ByteBuffer to) throws Exception;
    }

    private BatchHandover(String who, String owed) throws IOException {
        super(false);
        this.who = who;
        this.owed = owed;
    }

    /** Plays one of them, once the batch is at work. */
    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i < arguments.length; i++) {
            BatchHandover handover = new BatchHandover(arguments[0], arguments[i]);
            handover.run(TURNS, handover::serve, handover::play);
        }
        System.exit(0);
    }

    private void play() throws Exception {
        peer.write(ByteBuffer.wrap(UNREAD.getBytes(StandardCharsets.US_ASCII)));
        require(selector.select(MILLIS) == 1, "the first selector does not report it");
        selector.selectedKeys().clear();
        owe();
        peerReads = started(this::readToEnd);
        switch (who) {
            case "adopt" -> leaveAnd(this::adopt);
            case "poller" -> leaveAnd(this::poll);
            case "poller beside" -> poll();
            case "pollux" -> leaveAnd(() -> select(Selector.open()));
            case "pollux at once" -> cancelAnd(() -> select(Selector.open()));
            case "pollux beside" -> select(Selector.open());
            case "epoll" -> leaveAnd(() -> select(DefaultSelectorProvider.get().openSelector()));
            case "epoll beside" -> select(DefaultSelectorProvider.get().openSelector());
            case "poll" -> leaveAnd(() -> select(new PollSelectorProvider().openSelector()));
            case "poll beside" -> select(new PollSelectorProvider().openSelector());
            case "blocking" -> leaveAnd(() -> block(moved::read));
            case "blocking at once" -> cancelAnd(() -> block(moved::read));
            case "channel stream" -> cancelAnd(() -> block(from(Channels.newInputStream(moved))));
            case "socket stream" -> cancelAnd(() -> block(from(moved.socket().getInputStream())));
            case "file" -> cancelAnd(this::transfer);
            case "thread" -> started(() -> exchange(this::readSoon)).get();
            case "loop" -> leaveAnd(() -> started(() -> select(Selector.open())).get());
            case "loop at once" -> cancelAnd(() -> started(() -> select(Selector.open())).get());
            case "closed selector" -> closeAnd(() -> exchange(this::readSoon));
            case "after a closed selector" -> closeAnd(() -> select(Selector.open()));
            default -> throw new IllegalArgumentException(who);
        }
        if (selector.isOpen() && moved.keyFor(selector) == null) {
            require(selectNow() == 0, "the first selector still reports something");
        }
        String seen = peerReads.get(60, TimeUnit.SECONDS);
        require(seen.equals(written + TAIL + " bytes, an orderly end"), seen + " instead of " + (written + TAIL));
        System.out.println("the peer sees all of it, and an orderly end");
    }

    /** What is owed for the others stays in the same batch. */
    private void owe() throws IOException {
        if (owed.equals("nothing")) {
            return;
        }
        boolean isFull = owed.equals("rest");
        for (int i = 1; i < CONNECTIONS; i++) {
            near.get(i).write(buffer.clear().limit(BYTES));
        }
        int length = isFull ? buffer.capacity() : BYTES;
        for (int full = 0; full < (isFull ? 3 : 1);) {
            int n = moved.write(FuzzedConnection.numbered(buffer, written, length));
            written += n;
            if (n == 0) {
                selector.selectNow(); // tells of the unread bytes again
                selector.selectedKeys().clear();
            }
            full += isFull && n > 0 ? 0 : 1;
        }
        System.out.println("owed: " + owed + ", " + counters(selector));
    }

    private String readToEnd() throws Exception {
        Thread.sleep(200);
        ByteBuffer all = ByteBuffer.allocateDirect(FuzzedConnection.LONGEST);
        ByteBuffer expected = ByteBuffer.allocateDirect(FuzzedConnection.LONGEST);
        long place = 0;
        try {
            for (int n = peer.read(all.clear()); n >= 0; n = peer.read(all.clear())) {
                int wrong = all.flip().mismatch(FuzzedConnection.numbered(expected, place, n));
                require(wrong < 0, "a wrong byte at " + (place + wrong));
                place += n;
            }
        } catch (IOException e) {
            return place + " bytes, " + e;
        }
        return place + " bytes, an orderly end";
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private void cancelAnd(Step step) throws Exception {
        moved.keyFor(selector).cancel();
        step.run();
        selector.selectNow();
        selector.selectedKeys().clear();
    }

    private void leaveAnd(Step step) throws Exception {
        moved.keyFor(selector).cancel();
        selector.selectNow();
        selector.selectedKeys().clear();
        step.run();
    }

    private void closeAnd(Step step) throws Exception {
        selector.close();
        step.run();
    }

    /** All that one does who has taken it over. Returns nothing. */
    private Void exchange(Reader reader) throws Exception {
        System.out.println("reads what was unread: " + text(reader));
        peer.write(ByteBuffer.wrap(MORE.getBytes(StandardCharsets.US_ASCII)));
        System.out.println("reads what comes then: " + text(reader));
        for (ByteBuffer tail = tail(); tail.hasRemaining();) {
            if (moved.write(tail) == 0) {
                Thread.sleep(1);
            }
        }
        moved.close();
        return null;
    }

    private ByteBuffer tail() {
        return FuzzedConnection.numbered(ByteBuffer.allocate(TAIL), written, TAIL);
    }

    private static String text(Reader reader) throws Exception {
        ByteBuffer text = ByteBuffer.allocate(UNREAD.length());
        while (text.hasRemaining()) {
            int n = reader.read(text);
            require(n > 0, "it reads " + n + " after " + text.position() + " bytes");
        }
        return new String(text.array(), StandardCharsets.US_ASCII);
    }

    private int readSoon(ByteBuffer to) throws Exception {
        for (int i = 0; i < MILLIS; i++) {
            int n = moved.read(to);
            if (n != 0) {
                return n;
            }
            Thread.sleep(1);
        }
        return 0;
    }

    private Void select(Selector other) throws Exception {
        moved.register(other, SelectionKey.OP_READ);
        exchange(to -> {
            require(other.select(MILLIS) == 1, "the other selector does not report it");
            other.selectedKeys().clear();
            return moved.read(to);
        });
        other.close();
        return null;
    }

    private void poll() throws Exception {
        try (Poller poller = new Poller()) {
            int[] descriptors = new int[1];
            short[] events = new short[1];
            poller.add(moved, Poller.POLLIN);
            exchange(to -> {
                require(poller.await(descriptors, events, MILLIS, MILLISECONDS) == 1, "the Poller is silent");
                return moved.read(to);
            });
        }
    }

    private void block(Reader reader) throws Exception {
        moved.configureBlocking(true);
        exchange(reader);
    }

    private static Reader from(InputStream stream) {
        return to -> {
            byte[] bytes = new byte[to.remaining()];
            int n = stream.read(bytes);
            to.put(bytes, 0, Math.max(0, n));
            return n;
        };
    }

    private void transfer() throws Exception {
        try (FileChannel file = FileChannel.open(Files.createTempFile("batch", null), StandardOpenOption.READ,
                StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            block(to -> {
                long n = file.transferFrom(moved, 0, to.remaining());
                return file.read(to.limit(to.position() + (int) n), 0);
            });
        }
    }

    /** The bytes of a server's handler, which sends the tail and closes when all have come. */
    private final class Adopted implements ConnectionHandler {
        private final StringBuilder got = new StringBuilder();
        private final Semaphore progress = new Semaphore(0);

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            while (data.hasRemaining()) {
                got.append((char) data.get());
            }
            if (got.length() == UNREAD.length() + MORE.length()) {
                exchange.send(tail());
                exchange.close();
            }
            progress.release();
        }
    }

    private void adopt() throws Exception {
        Adopted handler = new Adopted();
        StreamServer server = StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> handler).start();
        server.adopt(moved, ByteBuffer.allocate(0));
        require(handler.progress.tryAcquire(MILLIS, TimeUnit.MILLISECONDS), "the server reads nothing");
        System.out.println("reads what was unread: " + handler.got);
        peer.write(ByteBuffer.wrap(MORE.getBytes(StandardCharsets.US_ASCII)));
        peerReads.get(60, TimeUnit.SECONDS);
        System.out.println("reads what comes then: " + handler.got.substring(UNREAD.length()));
        server.close();
    }
}
