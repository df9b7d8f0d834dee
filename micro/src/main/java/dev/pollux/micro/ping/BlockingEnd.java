// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Waits in a blocking read. */
final class BlockingEnd extends End {
    BlockingEnd(SocketChannel channel, int size) {
        super(channel, size);
    }

    @Override
    int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }
}
