// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/**
 * What a batch has once done otherwise than the JDK: full sockets that are closed or become blocking ones, a second
 * selector, late errors, virtual threads. The peers are in the same process. Takes the name of a case.
 */
public final class BatchEdges extends PairedBatch {
    private static final int TURNS = 100;
    private static final int LONG = 6_000_000;

    private BatchEdges(boolean unix) throws IOException {
        super(unix);
    }

    /** Plays a case, once the batch is at work. */
    public static void main(String[] arguments) throws Exception {
        BatchEdges edges = new BatchEdges(arguments[0].equals("unix"));
        edges.run(TURNS, edges::serve, switch (arguments[0]) {
            case "selectors" -> edges::twoSelectorsReportWhatIsUnread;
            case "abort" -> edges::aFullSocketIsAborted;
            case "blocking" -> edges::aFullSocketBecomesABlockingOne;
            case "error" -> edges::bytesComeBeforeTheError;
            case "waiting" -> edges::aWriteAfterWaitingForTheResetFailsAtOnce;
            case "virtual" -> edges::aVirtualThreadFindsWhatIsUnread;
            case "unix" -> edges::unreadBytesOfTheUnixDomainAreAReset;
            case "whole" -> edges::blockingWritesAreWhole;
            default -> throw new IllegalArgumentException(arguments[0]);
        });
        System.exit(0);
    }

    /** Has all ready at a time, and leaves it unread. */
    private void leaveUnread() throws Exception {
        askAll();
        Thread.sleep(20);
        require(selectNow() == CONNECTIONS, "not all are ready");
    }

    private void twoSelectorsReportWhatIsUnread() throws Exception {
        leaveUnread();
        try (Selector other = Selector.open()) {
            near.get(0).register(other, SelectionKey.OP_READ);
            require(other.select() == 1, "the second selector does not report it");
            require(selectNow() == CONNECTIONS, "the first one does not");
            require(near.get(0).read(buffer.clear()) == BYTES, "its bytes");
            other.selectedKeys().clear();
            require(other.selectNow() == 0 && selectNow() == CONNECTIONS - 1, "it is reported after all was read");
        }
    }

    private void aFullSocketIsAborted() throws Exception {
        fill(near.get(0));
        near.get(0).setOption(StandardSocketOptions.SO_LINGER, 0);
        near.get(0).close();
        selectNow();
        Thread.sleep(100);
        try {
            far.get(0).write(ByteBuffer.allocate(1));
            throw new AssertionError("the connection is still there");
        } catch (IOException reset) {
            System.out.println(reset);
        }
    }

    private void aFullSocketBecomesABlockingOne() throws Exception {
        SocketChannel channel = near.get(0);
        long accepted = fill(channel);
        channel.keyFor(selector).cancel();
        selectNow();
        channel.configureBlocking(true);
        FutureTask<Long> reader = new FutureTask<>(() -> readLater(far.get(0)));
        new Thread(reader).start();
        Path file = Files.write(Files.createTempFile("batch", null), new byte[BYTES]);
        try (FileChannel source = FileChannel.open(file, StandardOpenOption.DELETE_ON_CLOSE)) {
            require(source.transferTo(0, BYTES, channel) == BYTES, "transferTo does not wait for room");
        }
        channel.close();
        require(reader.get() == accepted + BYTES, "bytes are missing: " + reader.get());
    }

    private static long readLater(SocketChannel from) throws Exception {
        Thread.sleep(200);
        ByteBuffer all = ByteBuffer.allocateDirect(100_000);
        long count = 0;
        for (int n = from.read(all); n >= 0; n = from.read(all.clear())) {
            count += n;
        }
        return count;
    }

    private void bytesComeBeforeTheError() throws Exception {
        buffer.clear().limit(BYTES);
        far.get(0).write(buffer);
        far.get(0).close();
        Thread.sleep(20);
        for (int i = 0; i < 2; i++) { // the first is answered by a reset, which the second meets
            buffer.clear().limit(BYTES);
            near.get(0).write(buffer);
            selectNow();
            Thread.sleep(20);
        }
        require(near.get(0).read(buffer.clear()) == BYTES, "what had arrived is lost");
        try {
            throw new AssertionError("no error, but " + near.get(0).read(buffer.clear()));
        } catch (IOException late) {
            System.out.println(late);
        }
    }

    /** Netty's SocketHalfClosedTest does so: a handler waits until its peer has heard it and gone. */
    private void aWriteAfterWaitingForTheResetFailsAtOnce() throws Exception {
        selectNow();
        long before = ((Loop) selector).statistics().count(Counter.DEFERRED_WRITES);
        buffer.clear().limit(BYTES);
        near.get(0).write(buffer);
        long deferred = ((Loop) selector).statistics().count(Counter.DEFERRED_WRITES) - before;
        require(deferred == 1, "the first write was not deferred");
        read(far.get(0), BYTES);
        far.get(0).setOption(StandardSocketOptions.SO_LINGER, 0);
        far.get(0).close();
        try {
            throw new AssertionError("no error, but " + near.get(0).write(ByteBuffer.allocate(BYTES)));
        } catch (IOException reset) {
            System.out.println(reset);
        }
    }

    /** Where there are any. */
    private void aVirtualThreadFindsWhatIsUnread() throws Exception {
        if (Runtime.version().feature() < 21) {
            return;
        }
        leaveUnread();
        FutureTask<Integer> select = new FutureTask<>(() -> selector.select(2000));
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, select);
        require(select.get() == CONNECTIONS, "a virtual thread is told of " + select.get());
    }

    private void unreadBytesOfTheUnixDomainAreAReset() throws Exception {
        leaveUnread();
        near.get(0).close();
        selectNow();
        try {
            throw new AssertionError("no reset, but " + far.get(0).read(buffer.clear()));
        } catch (IOException reset) {
            System.out.println(reset);
        }
    }

    /** To open and close a selector must not interrupt later calls of the same thread. */
    private void blockingWritesAreWhole() throws Exception {
        SocketChannel channel = near.get(0);
        channel.keyFor(selector).cancel();
        selectNow();
        channel.configureBlocking(true);
        for (int i = 0; i < 10; i++) {
            FutureTask<Integer> reader = new FutureTask<>(() -> read(far.get(0), LONG));
            Thread other = new Thread(reader);
            other.setDaemon(true); // so that a failure ends the program
            other.start();
            Selector.open().close();
            require(channel.write(ByteBuffer.allocate(LONG)) == LONG, "a blocking write was cut short");
            reader.get();
        }
    }

    private static int read(SocketChannel from, int bytes) throws Exception {
        ByteBuffer part = ByteBuffer.allocate(20_000);
        int count = 0;
        while (count < bytes) {
            count += from.read(part.clear());
            LockSupport.parkNanos(200_000);
        }
        return count;
    }
}
