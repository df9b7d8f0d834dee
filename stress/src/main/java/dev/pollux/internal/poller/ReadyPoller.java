// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.Poller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Poller with one-shot members that are always ready, for one state of a test. Every other one is on poll(2), where
 * Pollux itself has to see to one-shot members and to changes during a wait.
 */
final class ReadyPoller {
    /** Longer than any machine keeps a thread from running. What is lost costs as much, once. */
    static final long FOR_EVER = 20_000;

    private static final Pipe[] PIPES = {readable(), readable()};
    private static final int[] DESCRIPTORS = {descriptor(PIPES[0]), descriptor(PIPES[1])};
    private static final AtomicInteger opened = new AtomicInteger();
    private static volatile boolean lost;

    private final Poller poller;
    private final Poller.Member[] members = new Poller.Member[PIPES.length];

    /** The members are pipe 0 and so on; they are reported as 1 and 2. */
    ReadyPoller(int count) {
        try {
            poller = Poller.open(opened.getAndIncrement() % 2 == 0 ? "epoll" : "poll", 2);
            for (int i = 0; i < count; i++) {
                members[i] = poller.add(DESCRIPTORS[i], Poller.POLLIN | Poller.ONESHOT);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Pipe readable() {
        try {
            Pipe pipe = Pipe.open();
            pipe.sink().write(ByteBuffer.allocate(1));
            return pipe;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By a Poller, which tells. */
    private static int descriptor(Pipe pipe) {
        try (Poller poller = new Poller()) {
            return poller.add(pipe.source(), Poller.POLLIN).descriptor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for one member: which it was, or 0. */
    int await(long millis) {
        int[] descriptor = new int[1];
        long start = System.nanoTime();
        try {
            int n = poller.await(descriptor, new short[1], nanos(millis), TimeUnit.NANOSECONDS);
            lost |= millis == FOR_EVER && System.nanoTime() - start >= nanos(millis);
            return n == 0 ? 0 : descriptor[0] == DESCRIPTORS[0] ? 1 : 2;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What has not been handed out: the sum of it, or more if a member is handed out again and again. */
    int awaitRest() {
        return await(0) + await(0) + await(0);
    }

    /** Watches the first member again. */
    void enable() {
        try {
            members[0].enable();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a wait ends before its time is over; nothing may be ready. */
    boolean isWoken(long millis) {
        long nanos = nanos(millis);
        long start = System.nanoTime();
        await(millis);
        return System.nanoTime() - start < nanos;
    }

    void wakeUp() {
        poller.wakeup();
    }

    void close() {
        poller.close();
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(lost ? Math.min(millis, 1) : millis);
    }
}
