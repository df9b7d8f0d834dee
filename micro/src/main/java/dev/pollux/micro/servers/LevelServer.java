// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One thread that waits and serves. */
final class LevelServer extends PollerServer {
    LevelServer(Sizes sizes) throws IOException {
        super(sizes, Poller.POLLIN);
    }

    @Override
    void serve() throws IOException {
        ByteBuffer buffer = buffer();
        Poller.Handler handler = (member, events) -> served(member, buffer);
        while (true) {
            poller.await(handler, Poller.FOREVER);
        }
    }
}
