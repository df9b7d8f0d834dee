// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** {@code select(Consumer)} with one channel ready of few or many. */
public class SelectOne extends Setting {
    /** How many channels are registered. */
    @Param({"1", "10", "100", "1000", "10000"})
    public int size;

    @Override
    void prepare() throws IOException {
        sockets.register(size, 1, SelectionKey.OP_READ);
    }

    /** One selection that finds one channel. */
    @Benchmark
    public int select() throws IOException {
        seen = 0;
        selector.select(action);
        return equal(SelectionKey.OP_READ, seen);
    }
}
