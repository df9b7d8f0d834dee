// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** Write interest switched on and off, a selection after each, as a server does whose peer reads slowly. */
public class WriteOnOff extends Setting {
    private static final int READ_WRITE = SelectionKey.OP_READ | SelectionKey.OP_WRITE;

    private Selector selector;
    private SelectionKey key;
    private int seen;
    private final Consumer<SelectionKey> action = key -> seen += key.readyOps();

    /** Connects the channel. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider).register(1, 0, SelectionKey.OP_READ);
        selector = sockets.selector;
        key = sockets.idle.get(0).keyFor(selector);
    }

    /** Two changes, two selections: the first finds the channel writable, the second nothing. */
    @Benchmark
    public int onSelectOffSelect() throws IOException {
        seen = 0;
        key.interestOps(READ_WRITE);
        selector.select(action);
        key.interestOps(SelectionKey.OP_READ);
        selector.selectNow(action);
        return Check.equal(SelectionKey.OP_WRITE, seen);
    }
}
