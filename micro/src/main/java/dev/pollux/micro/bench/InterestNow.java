// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.openjdk.jmh.annotations.Benchmark;

/** Read interest taken away and given back before one {@code selectNow()} that finds nothing. */
public class InterestNow extends Setting {
    private SelectionKey key;

    @Override
    void prepare() throws IOException {
        key = sockets.register(1, 0, SelectionKey.OP_READ).idleKey();
    }

    /** Two changes that cancel each other, one selection. */
    @Benchmark
    public int offOnSelectNow() throws IOException {
        key.interestOps(0);
        key.interestOps(SelectionKey.OP_READ);
        return equal(0, selector.selectNow());
    }
}
