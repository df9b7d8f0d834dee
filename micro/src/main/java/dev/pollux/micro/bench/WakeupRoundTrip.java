// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Two threads, each blocked in its own selector, wake each other in turn; the distribution is sampled.
 * JMH keeps its samples in the measuring thread: the bytes are those of the other one, which does the same.
 */
@BenchmarkMode(Mode.SampleTime)
public class WakeupRoundTrip extends Setting {
    private Selector here;
    private Selector there;
    private Thread echo;
    private volatile boolean stop;

    /** Starts the thread that answers. */
    @Setup
    public void start() throws IOException {
        sockets = new Sockets(provider);
        here = sockets.selector;
        there = sockets.provider.openSelector();
        echo = VirtualThreads.factory().newThread(this::answer);
        echo.start();
    }

    private void answer() {
        try {
            there.select();
            while (!stop) {
                here.wakeup();
                there.select();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    Thread allocating() {
        return echo;
    }

    /** There and back. */
    @Benchmark
    public int wakeupAndWait() throws IOException {
        there.wakeup();
        return Check.equal(0, here.select());
    }

    /** Ends the thread that answers. */
    @TearDown
    public void stop() throws Exception {
        stop = true;
        there.wakeup();
        echo.join();
        there.close();
    }
}
