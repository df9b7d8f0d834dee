// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** The life of a selector that is never used. */
public class OpenClose extends Setting {
    private SelectorProvider source;

    /** Makes the provider. */
    @Setup
    public void open() throws IOException {
        sockets = new Sockets(provider);
        source = sockets.provider;
    }

    /** Opens and closes a selector. */
    @Benchmark
    public Selector openAndClose() throws IOException {
        Selector selector = source.openSelector();
        selector.close();
        return selector;
    }
}
