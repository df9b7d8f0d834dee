// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** {@code select(Consumer)} with one channel ready of few or many. */
public class SelectOne extends Setting {
    /** How many channels are registered. */
    @Param({"1", "10", "100", "1000", "10000"})
    public int size;

    private Selector selector;
    private int seen;
    private final Consumer<SelectionKey> action = key -> seen += key.readyOps();

    /** Connects the channels. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider).register(size, 1, SelectionKey.OP_READ);
        selector = sockets.selector;
    }

    /** One selection that finds one channel. */
    @Benchmark
    public int select() throws IOException {
        seen = 0;
        selector.select(action);
        return Check.equal(SelectionKey.OP_READ, seen);
    }
}
