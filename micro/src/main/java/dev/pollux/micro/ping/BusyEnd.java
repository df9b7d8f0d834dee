// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Does not wait: reads again and again until there is something. */
final class BusyEnd extends End {
    BusyEnd(SocketChannel channel, int size) throws IOException {
        super(channel, size);
        channel.configureBlocking(false);
    }

    @Override
    int read(ByteBuffer into) throws IOException {
        int count = channel.read(into);
        while (count == 0) {
            Thread.onSpinWait();
            count = channel.read(into);
        }
        return count;
    }
}
