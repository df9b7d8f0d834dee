// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** Read interest taken away and given back before one {@code selectNow()} that finds nothing. */
public class InterestNow extends Setting {
    private Selector selector;
    private SelectionKey key;

    /** Connects the channel. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider).register(1, 0, SelectionKey.OP_READ);
        selector = sockets.selector;
        key = sockets.idle.get(0).keyFor(selector);
    }

    /** Two changes that cancel each other, one selection. */
    @Benchmark
    public int offOnSelectNow() throws IOException {
        key.interestOps(0);
        key.interestOps(SelectionKey.OP_READ);
        return Check.equal(0, selector.selectNow());
    }
}
