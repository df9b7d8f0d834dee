// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Waits in a poller of its own, level-triggered. */
final class PollerEnd extends End {
    private final Poller poller;

    /** A field, so that an await allocates nothing. */
    private final Poller.Handler ready = this::ready;

    private ByteBuffer into;
    private int count;

    PollerEnd(SocketChannel channel, int size) throws IOException {
        super(channel, size);
        channel.configureBlocking(false);
        poller = new Poller();
        poller.add(channel, Poller.POLLIN);
    }

    @Override
    int read(ByteBuffer buffer) throws IOException {
        into = buffer;
        count = 0;
        poller.await(ready, Poller.FOREVER);
        return count;
    }

    private void ready(Poller.Member member, int events) throws IOException {
        count = channel.read(into);
    }

    @Override
    public void close() throws IOException {
        poller.close();
        super.close();
    }
}
