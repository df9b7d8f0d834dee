// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.servers;

import dev.pollux.Poller;
import java.io.IOException;

/** One thread that waits and serves. */
final class LevelServer extends PollerServer {
    LevelServer(Sizes sizes) throws IOException {
        super(sizes, Poller.POLLIN);
    }

    @Override
    void serve() throws IOException {
        Poller.Handler handler = (descriptor, events, attachment) -> served(attachment);
        while (true) {
            poller.await(handler, -1);
        }
    }
}
