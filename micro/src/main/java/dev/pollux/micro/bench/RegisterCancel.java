// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.openjdk.jmh.annotations.Benchmark;

/** A channel registered, seen by a selection, cancelled, and removed by the next selection. */
public class RegisterCancel extends Setting {
    private SocketChannel channel;

    @Override
    void prepare() throws IOException {
        channel = sockets.connectIdle();
    }

    /** The life of one registration. */
    @Benchmark
    public int registerSelectCancelSelect() throws IOException {
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        int selected = selector.selectNow();
        key.cancel();
        return equal(0, selected + selector.selectNow());
    }
}
