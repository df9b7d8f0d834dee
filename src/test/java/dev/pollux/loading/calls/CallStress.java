// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Connections that transfer bytes, each of which is checked, while others close them or interrupt the threads that are
 * blocked in them. Takes the number of transfers.
 */
public final class CallStress {
    private static final int LANES = 4;
    private static final int MOST = 20_000;

    private static final AtomicLong TRANSFERS = new AtomicLong();
    private static final AtomicLong BYTES = new AtomicLong();
    private static final AtomicLong DISTURBED = new AtomicLong();
    private static final AtomicLong COMPLETE = new AtomicLong();

    private CallStress() {
    }

    /** Two ends of one stream. */
    private record Stream(ReadableByteChannel in, WritableByteChannel out, AutoCloseable... ends) {
    }

    /** Runs until that many reads and writes have been made. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        long transfers = Long.parseLong(arguments[0]);
        List<FutureTask<Void>> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            int lane = i;
            lanes.add(start("lane", () -> {
                for (int session = lane; TRANSFERS.get() < transfers; session++) {
                    play(open(session % 5));
                }
                return null;
            }));
        }
        for (FutureTask<Void> lane : lanes) {
            lane.get();
        }
        System.out.println(TRANSFERS + " transfers, " + BYTES + " bytes, " + COMPLETE + " complete, " + DISTURBED
                + " disturbed");
        System.out.println("every byte was right");
    }

    private static Stream open(int kind) throws Exception {
        switch (kind) {
            case 0:
            case 1:
                Ends.Channels channels = Ends.channels(kind == 1);
                return new Stream(channels.near(), channels.far(), channels.near(), channels.far());
            case 2:
                Pipe pipe = Pipe.open();
                return new Stream(pipe.source(), pipe.sink(), pipe.source(), pipe.sink());
            default:
                Ends.Sockets sockets = kind == 3 ? Ends.sockets() : adapted();
                sockets.near().setSoTimeout(kind == 3 ? 1 : 0);
                return new Stream(Channels.newChannel(sockets.near().getInputStream()),
                        Channels.newChannel(sockets.far().getOutputStream()), sockets.near(),
                        sockets.far());
        }
    }

    private static Ends.Sockets adapted() throws IOException {
        Ends.Channels channels = Ends.channels(false);
        return new Ends.Sockets(channels.near().socket(), channels.far().socket());
    }

    private static void play(Stream stream) throws Exception {
        long count = random(4) == 0 ? Long.MAX_VALUE : random(2_000_000);
        Thread[] threads = new Thread[2];
        FutureTask<Long> reading = new FutureTask<>(() -> read(stream));
        FutureTask<Long> writing = new FutureTask<>(() -> write(stream, count));
        threads[0] = thread("reader", reading);
        threads[1] = thread("writer", writing);
        boolean disturbed = count == Long.MAX_VALUE || random(2) == 0;
        if (disturbed) {
            disturb(stream, threads);
        }
        long written = writing.get(1, TimeUnit.MINUTES);
        if (!disturbed && written != count) {
            throw new AssertionError(written + " bytes were written, not " + count);
        }
        long read = reading.get(1, TimeUnit.MINUTES);
        if (disturbed ? read > written : read != written) {
            throw new AssertionError(read + " bytes were read, and " + written + " written");
        }
        (disturbed ? DISTURBED : COMPLETE).incrementAndGet();
        for (AutoCloseable end : stream.ends) {
            end.close();
        }
    }

    /** The stream is closed in the end, since not each thread that is interrupted is blocked in a channel. */
    private static void disturb(Stream stream, Thread[] threads) throws Exception {
        TimeUnit.MICROSECONDS.sleep(random(3000));
        int what = random(4);
        if (what < 2) {
            threads[what].interrupt();
        } else {
            stream.ends[what - 2].close();
        }
        TimeUnit.MICROSECONDS.sleep(random(300));
        for (AutoCloseable end : stream.ends) {
            end.close();
        }
    }

    /** The number of bytes that were right; what was wrong is an error. */
    private static long read(Stream stream) {
        long position = 0;
        ByteBuffer[] rooms = {ByteBuffer.allocateDirect(MOST), ByteBuffer.allocate(MOST)};
        try {
            while (true) {
                long n = readSome(stream.in, rooms);
                if (n < 0) {
                    return position;
                }
                for (ByteBuffer room : rooms) {
                    for (room.flip(); room.hasRemaining(); position++) {
                        if (room.get() != byteAt(position)) {
                            throw new AssertionError("byte " + position + " is wrong");
                        }
                    }
                }
                TRANSFERS.incrementAndGet();
                BYTES.addAndGet(n);
            }
        } catch (IOException e) {
            return position; // closed, interrupted or reset
        }
    }

    private static long readSome(ReadableByteChannel in, ByteBuffer[] rooms) throws IOException {
        rooms[0].clear().limit(1 + random(MOST));
        rooms[1].clear().limit(random(MOST));
        while (true) {
            try {
                if (in instanceof SocketChannel channel && random(2) == 0) {
                    return channel.read(rooms);
                }
                int which = random(2);
                rooms[1 - which].limit(0);
                return in.read(rooms[which].limit(Math.max(1, rooms[which].limit())));
            } catch (SocketTimeoutException e) {
                int before = rooms[0].position() + rooms[1].position(); // of a read in parts, by JDK 27's adapter
                if (before > 0) {
                    return before;
                }
                rooms[0].clear().limit(1 + random(MOST));
                rooms[1].clear().limit(random(MOST));
            }
        }
    }

    /** The number of bytes that may have been written. */
    private static long write(Stream stream, long count) throws Exception {
        long position = 0;
        ByteBuffer[] sources = {ByteBuffer.allocateDirect(MOST), ByteBuffer.allocate(MOST)};
        try {
            while (position < count) {
                long at = position;
                for (ByteBuffer source : sources) {
                    at = fill(source, at, Math.min(random(MOST), count - at));
                }
                position = at;
                if (stream.out instanceof SocketChannel channel && random(2) == 0) {
                    while (sources[1].hasRemaining()) {
                        channel.write(sources);
                    }
                }
                for (ByteBuffer source : sources) {
                    while (source.hasRemaining()) {
                        stream.out.write(source);
                    }
                }
                TRANSFERS.incrementAndGet();
            }
            stream.ends[1].close();
        } catch (IOException e) {
            return position; // closed, interrupted or reset
        }
        return position;
    }

    private static long fill(ByteBuffer source, long from, long count) {
        source.clear();
        for (long i = from; i < from + count; i++) {
            source.put(byteAt(i));
        }
        source.flip();
        return from + count;
    }

    private static byte byteAt(long position) {
        return (byte) (position * 31 + (position >> 8) * 17 + (position >> 16));
    }

    private static int random(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    private static <T> FutureTask<T> start(String name, Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        thread(name, task);
        return task;
    }

    private static Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
