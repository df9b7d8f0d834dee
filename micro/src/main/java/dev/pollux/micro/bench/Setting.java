// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What every benchmark has: the provider as a parameter, and sockets that are closed at the end.
 * A subclass connects channels in {@link #prepare}. A selection that found something else than planned ends the run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class Setting {
    /** Class name of the provider under test. */
    @Param({Providers.JDK_EPOLL, Providers.POLLUX_EPOLL, Providers.JDK_POLL, Providers.POLLUX_POLL})
    public String provider;

    /** The selector under test and its channels. */
    Sockets sockets;
    Selector selector;

    /** What {@link #action} has seen of ready sets. */
    int seen;
    final Consumer<SelectionKey> action = key -> seen += key.readyOps();

    /** Opens the selector. */
    @Setup
    public void open() throws Exception {
        sockets = new Sockets(provider);
        selector = sockets.selector;
        prepare();
    }

    /** Connects channels; none unless a subclass does. */
    void prepare() throws Exception {
    }

    /** Ends what {@link #prepare} has started. */
    void end() throws Exception {
    }

    static int equal(int expected, int actual) {
        if (expected != actual) {
            throw new IllegalStateException("expected " + expected + ", was " + actual);
        }
        return actual;
    }

    /** Begins to count what the measuring thread spends. */
    @Setup(Level.Iteration)
    public void beginCount() {
        Spent.begin(allocating());
    }

    /** The thread whose bytes are counted, the measuring one unless a benchmark knows better. */
    Thread allocating() {
        return Thread.currentThread();
    }

    /** Ends the count. */
    @TearDown(Level.Iteration)
    public void endCount() {
        Spent.end();
    }

    /** Closes what the set-up opened. */
    @TearDown
    public void close() throws Exception {
        end();
        sockets.close();
    }
}
