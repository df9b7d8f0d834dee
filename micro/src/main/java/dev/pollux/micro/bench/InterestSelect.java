// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.openjdk.jmh.annotations.Benchmark;

/** Read interest taken away from an idle channel and given back, a selection after each; one other ready. */
public class InterestSelect extends Setting {
    private SelectionKey idleKey;

    @Override
    void prepare() throws IOException {
        idleKey = sockets.register(2, 1, SelectionKey.OP_READ).idleKey();
    }

    /** Two changes, two selections. */
    @Benchmark
    public int offSelectOnSelect() throws IOException {
        seen = 0;
        idleKey.interestOps(0);
        selector.select(action);
        idleKey.interestOps(SelectionKey.OP_READ);
        selector.select(action);
        return equal(2 * SelectionKey.OP_READ, seen);
    }
}
