// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import com.google.gson.Gson;
import dev.pollux.Poller;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A ring of pipes in which some bytes run around, as in {@code micro/ring.c}: what is read from one pipe is written to
 * the next. End 2i reads from pipe i and is always watched; end 2i + 1 writes to it, and is watched while there is a
 * byte for it. Subclasses wait.
 *
 * <p>Used by one thread. No allocation once it is made.
 */
abstract class Ring implements Closeable {
    /** Reads between two looks at the clock. */
    private static final int CLOCK_EVERY = 256;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** What one process measured. In JSON it has the names of {@code micro/ring.c}. */
    record Sample(double seconds, double cpuSeconds, long reads) {
        double perSecond() {
            return reads / seconds;
        }

        double perCpuSecond() {
            return reads / cpuSeconds;
        }
    }

    final Pipe[] pipes;
    private final int[] waiting;
    private final int tokens;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1);
    private long reads;

    Ring(int count, int tokens) throws IOException {
        pipes = new Pipe[count];
        waiting = new int[count];
        this.tokens = tokens;
        for (int i = 0; i < count; i++) {
            pipes[i] = Pipe.open();
            pipes[i].source().configureBlocking(false);
            pipes[i].sink().configureBlocking(false);
        }
        for (long token = 0; token < tokens; token++) {
            write((int) (token * count / tokens + count / 2) % count);
        }
    }

    /** The measured virtual machine: "poller|selector PIPES TOKENS WARM-UP SECONDS". Prints a {@link Sample}. */
    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[1]);
        int tokens = Integer.parseInt(args[2]);
        try (Ring ring = args[0].equals("poller") ? new PollerRing(count, tokens) : new SelectorRing(count, tokens)) {
            ring.run(Double.parseDouble(args[3]));
            System.out.println(new Gson().toJson(ring.run(Double.parseDouble(args[4]))));
            ring.check();
        }
    }

    /** Has a writing end, by the number of its pipe, reported from now on, or no longer. */
    abstract void watch(int pipe, boolean on) throws IOException;

    /** Waits, and calls {@link #handle} for what is ready. */
    abstract void await() throws IOException;

    private Sample run(double seconds) throws IOException {
        long before = reads;
        long start = System.nanoTime();
        long startCpu = THREADS.getCurrentThreadCpuTime();
        do {
            for (long end = reads + CLOCK_EVERY; reads < end; ) {
                await();
            }
        } while (System.nanoTime() - start < seconds * TimeUnit.SECONDS.toNanos(1));
        long cpu = THREADS.getCurrentThreadCpuTime() - startCpu;
        return new Sample((System.nanoTime() - start) / 1e9, cpu / 1e9, reads - before);
    }

    /** An end is ready. */
    final void handle(int end) throws IOException {
        int pipe = end / 2;
        if (end % 2 == 0) {
            reads++;
            if (pipes[pipe].source().read(buffer.clear()) != 1) {
                throw new IOException("a pipe that was said to be readable has nothing to read");
            }
            int next = pipe + 1 < pipes.length ? pipe + 1 : 0;
            if (waiting[next]++ == 0) {
                watch(next, true);
            }
        } else {
            write(pipe);
            if (--waiting[pipe] == 0) {
                watch(pipe, false);
            }
        }
    }

    private void write(int pipe) throws IOException {
        if (pipes[pipe].sink().write(buffer.clear()) != 1) {
            throw new IOException("a pipe that was said to be writable takes nothing");
        }
    }

    /** Every byte is somewhere, or the figures are worth nothing. */
    private void check() throws IOException {
        int found = 0;
        for (int i = 0; i < pipes.length; i++) {
            found += waiting[i];
            while (pipes[i].source().read(buffer.clear()) == 1) {
                found++;
            }
        }
        if (found != tokens) {
            throw new IOException(found + " bytes were found of " + tokens);
        }
    }

    @Override
    public void close() throws IOException {
        for (Pipe pipe : pipes) {
            pipe.source().close();
            pipe.sink().close();
        }
    }

    /** Waits in a {@link Poller}. */
    private static final class PollerRing extends Ring {
        private final Poller poller = new Poller();
        private final Poller.Member[] sinks;
        /** A field, so that an await allocates nothing. */
        private final Poller.Handler ready = (member, events) -> handle((Integer) member.attachment());

        PollerRing(int count, int tokens) throws IOException {
            super(count, tokens);
            sinks = new Poller.Member[count];
            for (int i = 0; i < count; i++) {
                poller.add(pipes[i].source(), Poller.POLLIN, 2 * i);
                sinks[i] = poller.add(pipes[i].sink(), 0, 2 * i + 1);
            }
        }

        @Override
        void watch(int pipe, boolean on) throws IOException {
            sinks[pipe].modify(on ? Poller.POLLOUT : 0);
        }

        @Override
        void await() throws IOException {
            poller.await(ready);
        }

        @Override
        public void close() throws IOException {
            poller.close();
            super.close();
        }
    }

    /** Waits in a selector of the virtual machine's default provider. */
    private static final class SelectorRing extends Ring {
        private final Selector selector = Selector.open();
        private final SelectionKey[] sinks;
        /** A field, so that a selection allocates nothing. */
        private final Consumer<SelectionKey> ready = this::ready;

        SelectorRing(int count, int tokens) throws IOException {
            super(count, tokens);
            sinks = new SelectionKey[count];
            for (int i = 0; i < count; i++) {
                pipes[i].source().register(selector, SelectionKey.OP_READ, 2 * i);
                sinks[i] = pipes[i].sink().register(selector, 0, 2 * i + 1);
            }
        }

        @Override
        void watch(int pipe, boolean on) {
            sinks[pipe].interestOps(on ? SelectionKey.OP_WRITE : 0);
        }

        @Override
        void await() throws IOException {
            selector.select(ready);
        }

        private void ready(SelectionKey key) {
            try {
                handle((Integer) key.attachment());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            selector.close();
            super.close();
        }
    }
}
