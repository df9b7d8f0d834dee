// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** A channel registered, seen by a selection, cancelled, and removed by the next selection. */
public class RegisterCancel extends Setting {
    private Selector selector;
    private SocketChannel channel;

    /** Connects the channel. */
    @Setup
    public void connect() throws IOException {
        sockets = new Sockets(provider);
        selector = sockets.selector;
        channel = sockets.connectIdle();
    }

    /** The life of one registration. */
    @Benchmark
    public int registerSelectCancelSelect() throws IOException {
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        int seen = selector.selectNow();
        key.cancel();
        return Check.equal(0, seen + selector.selectNow());
    }
}
