// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Several threads that all wait and serve: a member is reported to one of them, and again only once that one is done
 * with it.
 */
final class OneShotServer extends PollerServer {
    private final int workers;

    OneShotServer(Sizes sizes, int workers) throws IOException {
        super(sizes, Poller.POLLIN | Poller.ONESHOT);
        this.workers = workers;
    }

    @Override
    void serve() throws IOException {
        for (int i = 1; i < workers; i++) {
            ServerMain.start("worker " + i, this::work);
        }
        work();
    }

    private void work() throws IOException {
        ByteBuffer buffer = buffer();
        Poller.Handler handler = (member, events) -> {
            if (served(member, buffer)) {
                member.enable();
            }
        };
        while (true) {
            poller.await(handler, Poller.FOREVER);
        }
    }
}
