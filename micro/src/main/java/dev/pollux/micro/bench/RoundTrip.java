// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;

/**
 * Pairs of threads, each with a selector of its own, that wait for each other. One of them measures; the other pairs do
 * the same beside it. The distribution is sampled. JMH keeps its samples in the measuring thread: the bytes are those
 * of the one that answers, which does the same.
 */
@BenchmarkMode(Mode.SampleTime)
public abstract class RoundTrip extends Setting {
    /** How many selectors take part, two for each pair; with 1 the other thread has none. */
    @Param({"1", "2", "8", "16", "64"})
    public int size;

    final List<Thread> threads = new ArrayList<>();

    /** What a thread does until it is ended. */
    interface Body {
        void run() throws IOException;
    }

    final void start(Body body) {
        Thread thread = VirtualThreads.factory().newThread(() -> {
            try {
                body.run();
            } catch (ClosedChannelException | ClosedSelectorException e) {
                // the end
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        threads.add(thread);
        thread.start();
    }

    @Override
    Thread allocating() {
        return threads.get(0);
    }

    final void joinAll() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
