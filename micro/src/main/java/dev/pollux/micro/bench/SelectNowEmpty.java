// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** {@code selectNow()} with one channel registered and nothing ready. */
public class SelectNowEmpty extends Setting {
    private Selector selector;

    /** Connects the channel. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider).register(1, 0, SelectionKey.OP_READ);
        selector = sockets.selector;
    }

    /** One selection that finds nothing. */
    @Benchmark
    public int selectNow() throws IOException {
        return Check.equal(0, selector.selectNow());
    }
}
