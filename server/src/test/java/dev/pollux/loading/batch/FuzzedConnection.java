// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
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

/**
 * A connection of {@link BatchFuzz}: the near end is used in all ways, the far end looks whether each byte comes, and
 * in which order. What a byte is follows from its place. For one thread at a time.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time writes
final class FuzzedConnection {
    static final int LONGEST = 40_000;
    private static final int PERIOD = 65_521;
    private static final long PATIENCE = 20_000_000_000L;
    private static final int MAX_UNREAD = 20_000;
    private static final int MAX_BLOCKING = 1000;
    private static final byte[] PATTERN = pattern();
    private static final FileChannel FILE = file();

    final int number;
    final SocketChannel near;
    final SocketChannel far;
    final boolean isTcp;
    /** Which thread has the near end. */
    int owner;
    boolean isShut;
    boolean isFarShut;
    /** From the near end to the far one: accepted by a write, received there. */
    volatile long accepted;
    long received;
    /** The other way. */
    long sent;
    volatile long read;
    private final ByteBuffer heap = ByteBuffer.allocate(LONGEST);
    private final ByteBuffer direct = ByteBuffer.allocateDirect(LONGEST);
    private final ByteBuffer farBytes = ByteBuffer.allocateDirect(LONGEST);

    /** @param sendBuffer of the near end, or 0 for what the system gives it */
    FuzzedConnection(int number, ServerSocketChannel listener, int sendBuffer) throws IOException {
        this.number = number;
        far = SocketChannel.open(listener.getLocalAddress());
        near = listener.accept();
        far.configureBlocking(false);
        near.configureBlocking(false);
        isTcp = near.getLocalAddress() instanceof InetSocketAddress;
        if (isTcp) {
            far.setOption(StandardSocketOptions.TCP_NODELAY, true);
            near.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        if (sendBuffer > 0) {
            near.setOption(StandardSocketOptions.SO_SNDBUF, sendBuffer);
        }
    }

    private static byte[] pattern() {
        byte[] pattern = new byte[PERIOD + LONGEST];
        for (int i = 0; i < pattern.length; i++) {
            int mixed = (i % PERIOD) * 0x9E3779B1;
            pattern[i] = (byte) (mixed >>> 24);
        }
        return pattern;
    }

    private static FileChannel file() {
        try {
            Path path = Files.write(Files.createTempFile("fuzz", null), PATTERN);
            return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Bytes from a place on. */
    static ByteBuffer numbered(ByteBuffer to, long place, int length) {
        return to.clear().put(PATTERN, (int) (place % PERIOD), length).flip();
    }

    void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(this + ": " + otherwise);
        }
    }

    private void check(ByteBuffer bytes, long place, String side) {
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) != PATTERN[(int) ((place + i) % PERIOD)]) {
                throw new AssertionError(this + ": a wrong byte at the " + side + " end, at " + (place + i));
            }
        }
    }

    /** Asks until it holds. */
    interface Condition {
        boolean holds() throws IOException;
    }

    void await(Condition condition, String otherwise) throws IOException {
        long end = System.nanoTime() + PATIENCE;
        for (int turn = 0; !condition.holds(); turn++) {
            require(System.nanoTime() < end, otherwise);
            if (turn < 100) {
                Thread.onSpinWait();
            } else {
                BatchFuzz.sleep(200_000);
            }
        }
    }

    /** A write that waits for room would wait for ever: this thread has the far end, too. */
    private int lengthFor(int length) throws IOException {
        if (!near.isBlocking()) {
            return length;
        }
        drain();
        return Math.min(length, MAX_BLOCKING);
    }

    int write(int length, boolean isDirect) throws IOException {
        if (isShut) {
            return 0;
        }
        int n = near.write(numbered(isDirect ? direct : heap, accepted, lengthFor(length)));
        accepted += n;
        return n;
    }

    void gather(int length) throws IOException {
        if (isShut) {
            return;
        }
        ByteBuffer all = numbered(direct, accepted, lengthFor(length));
        int third = all.remaining() / 3;
        accepted += near.write(new ByteBuffer[] {all.slice(0, third), all.slice(third, third),
            all.slice(2 * third, all.limit() - 2 * third)});
    }

    void fill() throws IOException {
        for (int i = 0; i < 1000 && !near.isBlocking() && write(16_000, true) > 0; i++) {
            require(!isShut, "it is shut");
        }
    }

    void transfer(int length) throws IOException {
        if (!isShut) {
            accepted += FILE.transferTo(accepted % PERIOD, lengthFor(length), near);
        }
    }

    /** Reads some of what has come. */
    void read(int length, boolean isDirect) throws IOException {
        if (near.isBlocking() && sent == read) {
            return;
        }
        ByteBuffer bytes = isDirect ? direct : heap;
        int n = near.read(bytes.clear().limit(length));
        require(n >= 0 || isFarShut && read == sent, "the near end reads an end after " + read + " of " + sent);
        check(bytes.flip(), read, "near");
        read += Math.max(0, n);
        require(read <= sent, "too many bytes at the near end");
    }

    /** What a server's handler has got of the near end. */
    void readElsewhere(ByteBuffer bytes) {
        check(bytes.slice(), read, "adopted");
        read += bytes.remaining();
        bytes.position(bytes.limit());
    }

    void readAll() throws IOException {
        await(() -> {
            read(LONGEST, true);
            return read == sent;
        }, "what the far end has sent does not come");
    }

    void askAvailable() throws IOException {
        if (isTcp) {
            await(() -> near.socket().getInputStream().available() == sent - read, "available is wrong");
        }
    }

    void send(int length) throws IOException {
        if (!isFarShut && sent - read < MAX_UNREAD) {
            sent += far.write(numbered(farBytes, sent, length));
        }
    }

    /** The far end reads: false at the end. */
    boolean receive(int length) throws IOException {
        int n = far.read(farBytes.clear().limit(length));
        check(farBytes.flip(), received, "far");
        received += Math.max(0, n);
        require(received <= accepted, "too many bytes at the far end");
        return n >= 0;
    }

    /** The far end reads all. */
    void drain() throws IOException {
        await(() -> received == accepted || !receive(LONGEST) || received == accepted, "accepted bytes do not come");
        require(received == accepted, "an end before all has come");
    }

    /** How it ends for the far end: after all bytes, or by a reset. */
    String end() throws IOException {
        try {
            await(() -> !receive(LONGEST), "no end");
        } catch (IOException reset) {
            return "reset";
        } finally {
            far.close();
        }
        return received == accepted ? "orderly" : "too early";
    }

    /** The far end has gone: how the near end learns of it. */
    String fail(int writes, Condition turn) throws IOException {
        far.close();
        try {
            for (int i = 0; i < writes; i++) {
                write(100, true);
            }
            turn.holds();
            write(100, false);
            turn.holds();
            write(100, true);
            await(() -> near.read(direct.clear()) < 0, "neither an error nor an end");
        } catch (IOException reset) {
            return "error";
        } finally {
            near.close();
        }
        return "an end";
    }

    /** Keys that it has, and that are not cancelled. */
    List<SelectionKey> keys(Selector[] selectors) {
        List<SelectionKey> keys = new ArrayList<>();
        for (Selector each : selectors) {
            SelectionKey key = near.keyFor(each);
            if (key != null && key.isValid()) {
                keys.add(key);
            }
        }
        return keys;
    }

    @Override
    public String toString() {
        return "connection " + number + (isTcp ? " (TCP" : " (Unix domain") + ", accepted " + accepted + ", received "
                + received + ", sent " + sent + ", read " + read + (isShut ? ", shut" : "") + ')';
    }
}
