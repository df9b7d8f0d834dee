// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The life of a selector with many channels: whether ten times as many take more than ten times as long. */
public class RegisterMany extends Setting {
    /** How many channels are registered. */
    @Param({"1000", "10000"})
    public int size;

    /** Connects the channels and registers none. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider);
        for (int i = 0; i < size; i++) {
            sockets.connectIdle();
        }
    }

    /** Opens a selector, registers all channels, selects once, closes it. */
    @Benchmark
    public int registerSelectClose() throws IOException {
        try (Selector selector = sockets.provider.openSelector()) {
            for (SocketChannel channel : sockets.idle) {
                channel.register(selector, SelectionKey.OP_READ);
            }
            return Check.equal(0, selector.selectNow());
        }
    }
}
