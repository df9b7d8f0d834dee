// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;

/** The life of a selector that is never used. */
public class OpenClose extends Setting {
    /** Opens and closes a selector. */
    @Benchmark
    public Selector openAndClose() throws IOException {
        Selector opened = sockets.provider.openSelector();
        opened.close();
        return opened;
    }
}
