// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** Read interest taken away from an idle channel and given back, a selection after each; one other ready. */
public class InterestSelect extends Setting {
    private Selector selector;
    private SelectionKey idleKey;
    private int seen;
    private final Consumer<SelectionKey> action = key -> seen += key.readyOps();

    /** Connects one ready and one idle channel. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider).register(2, 1, SelectionKey.OP_READ);
        selector = sockets.selector;
        idleKey = sockets.idle.get(0).keyFor(selector);
    }

    /** Two changes, two selections. */
    @Benchmark
    public int offSelectOnSelect() throws IOException {
        seen = 0;
        idleKey.interestOps(0);
        selector.select(action);
        idleKey.interestOps(SelectionKey.OP_READ);
        selector.select(action);
        return Check.equal(2 * SelectionKey.OP_READ, seen);
    }
}
