// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.openjdk.jmh.annotations.Benchmark;

/** {@code selectNow()} with one channel registered and nothing ready. */
public class SelectNowEmpty extends Setting {
    @Override
    void prepare() throws IOException {
        sockets.register(1, 0, SelectionKey.OP_READ);
    }

    /** One selection that finds nothing. */
    @Benchmark
    public int selectNow() throws IOException {
        return equal(0, selector.selectNow());
    }
}
