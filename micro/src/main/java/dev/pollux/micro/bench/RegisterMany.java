// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** The life of a selector with many channels: whether ten times as many take more than ten times as long. */
public class RegisterMany extends Setting {
    /** How many channels are registered. */
    @Param({"1000", "10000"})
    public int size;

    @Override
    void prepare() throws IOException {
        for (int i = 0; i < size; i++) {
            sockets.connectIdle();
        }
    }

    /** Opens a selector, registers all channels, selects once, closes it. */
    @Benchmark
    public int registerSelectClose() throws IOException {
        try (Selector opened = sockets.provider.openSelector()) {
            for (SocketChannel channel : sockets.idle) {
                channel.register(opened, SelectionKey.OP_READ);
            }
            return equal(0, opened.selectNow());
        }
    }
}
