// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
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
 * What every benchmark has: the provider as a parameter, and sockets that are closed at the end. Providers are found by
 * name: the JDK's are in a package that is not exported, and need
 * {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED}. A subclass connects channels in {@link #prepare}. A selection
 * that found something else than planned ends the run.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class Setting {
    /** The class that {@link SelectorProvider#provider()} is on Linux. */
    static final String JDK_EPOLL = "sun.nio.ch.EPollSelectorProvider";

    /** The JDK's selector over poll(2), which is never its default on Linux. */
    static final String JDK_POLL = "sun.nio.ch.PollSelectorProvider";

    /** Pollux over epoll. */
    static final String POLLUX_EPOLL = "dev.pollux.EPollSelectorProvider";

    /** Pollux over poll(2). */
    static final String POLLUX_POLL = "dev.pollux.PollSelectorProvider";

    /** Class name of the provider under test. */
    @Param({JDK_EPOLL, POLLUX_EPOLL, JDK_POLL, POLLUX_POLL})
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
        sockets = new Sockets(knowsPoller() && provider.equals(Waiter.POLLER) ? JDK_EPOLL : provider);
        selector = sockets.selector;
        prepare();
    }

    /** Whether {@link Waiter#POLLER} is a provider too: channels are the JDK's then. */
    boolean knowsPoller() {
        return false;
    }

    /** Connects channels; none unless a subclass does. */
    void prepare() throws Exception {
    }

    /** Ends what {@link #prepare} has started. */
    void end() throws Exception {
    }

    /** Returns a new provider of the named class. */
    static SelectorProvider named(String className) {
        try {
            return (SelectorProvider) Class.forName(className).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no selector provider " + className, e);
        }
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
