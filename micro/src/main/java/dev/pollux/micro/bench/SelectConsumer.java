// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** {@code select(Consumer)} with many channels ready. */
public class SelectConsumer extends Setting {
    /** Ready channels, a slash, registered channels. */
    @Param({"16/16", "100/2000", "1000/10000"})
    public String load;

    private int ready;

    @Override
    void prepare() throws IOException {
        ready = sockets.register(load);
    }

    /** One selection. */
    @Benchmark
    public int select() throws IOException {
        seen = 0;
        equal(ready, selector.select(action));
        return equal(ready, seen);
    }
}
