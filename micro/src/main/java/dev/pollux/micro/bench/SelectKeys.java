// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** {@code select()}, then the loop of every textbook: iterate over the selected keys and remove each. */
public class SelectKeys extends Setting {
    /** Ready channels, a slash, registered channels. */
    @Param({"1/1", "16/16", "100/2000", "1000/10000"})
    public String load;

    private Selector selector;
    private int ready;

    /** Connects the channels. */
    @Setup
    public void connect() throws IOException {
        Load parsed = Load.parse(load);
        ready = parsed.ready();
        sockets = new Sockets(provider).register(parsed.channels(), ready, SelectionKey.OP_READ);
        selector = sockets.selector;
    }

    /** One selection and its loop. */
    @Benchmark
    public int selectAndRemove() throws IOException {
        Check.equal(ready, selector.select());
        int seen = 0;
        Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
        while (keys.hasNext()) {
            seen += keys.next().readyOps();
            keys.remove();
        }
        return Check.equal(ready, seen);
    }
}
