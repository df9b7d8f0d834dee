// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** A wakeup that nobody waits for, and the selection that it ends; no channels. */
public class SelectorWakeup extends Setting {
    private Selector selector;

    /** Opens the selector. */
    @Setup
    public void open() throws IOException {
        sockets = new Sockets(provider);
        selector = sockets.selector;
    }

    /** One wakeup, one selection. */
    @Benchmark
    public int wakeupAndSelect() throws IOException {
        return Check.equal(0, selector.wakeup().select());
    }
}
