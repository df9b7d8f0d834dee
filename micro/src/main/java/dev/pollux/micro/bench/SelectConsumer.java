// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** {@code select(Consumer)} with many channels ready. */
public class SelectConsumer extends Setting {
    /** Ready channels, a slash, registered channels. */
    @Param({"16/16", "100/2000", "1000/10000"})
    public String load;

    private Selector selector;
    private int ready;
    private int seen;
    private final Consumer<SelectionKey> action = key -> seen += key.readyOps();

    /** Connects the channels. */
    @Setup
    public void connect() throws IOException {
        Load parsed = Load.parse(load);
        ready = parsed.ready();
        sockets = new Sockets(provider).register(parsed.channels(), ready, SelectionKey.OP_READ);
        selector = sockets.selector;
    }

    /** One selection. */
    @Benchmark
    public int select() throws IOException {
        seen = 0;
        Check.equal(ready, selector.select(action));
        return Check.equal(ready, seen);
    }
}
