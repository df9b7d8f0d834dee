// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;

/**
 * Several threads that all wait and serve: a member is reported to one of them, and again only once that one is done
 * with it.
 */
final class OneShotServer extends PollerServer {
    private final int workers;

    OneShotServer(Protocol protocol, int workers) throws IOException {
        super(protocol, Poller.POLLIN | Poller.ONESHOT);
        this.workers = workers;
    }

    @Override
    void serveMembers() throws IOException {
        for (int i = 1; i < workers; i++) {
            startWorker(i, this::work);
        }
        work();
    }

    private void work() throws IOException {
        Server server = new Server();
        Poller.Handler handler = (member, ready) -> {
            if (server.serve(member)) {
                member.enable();
            }
        };
        while (true) {
            poller.await(handler);
        }
    }
}
