// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.openjdk.jmh.annotations.Benchmark;

/** Write interest switched on and off, a selection after each, as a server does whose peer reads slowly. */
public class WriteOnOff extends Setting {
    private static final int READ_WRITE = SelectionKey.OP_READ | SelectionKey.OP_WRITE;

    private SelectionKey key;

    @Override
    void prepare() throws IOException {
        key = sockets.register(1, 0, SelectionKey.OP_READ).idleKey();
    }

    /** Two changes, two selections: the first finds the channel writable, the second nothing. */
    @Benchmark
    public int onSelectOffSelect() throws IOException {
        seen = 0;
        key.interestOps(READ_WRITE);
        selector.select(action);
        key.interestOps(SelectionKey.OP_READ);
        selector.selectNow(action);
        return equal(SelectionKey.OP_WRITE, seen);
    }
}
