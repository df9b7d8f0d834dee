// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** One thread with a level-triggered Poller. */
final class PollerServer extends ChannelServer {
    private final Poller poller = new Poller();
    private final ByteBuffer in = room();
    private final ByteBuffer page = protocol.page();

    PollerServer(Protocol protocol) throws IOException {
        super(protocol);
    }

    @Override
    void serve() throws IOException {
        listener.configureBlocking(false);
        poller.add(listener, Poller.POLLIN);
        Poller.Handler handler = (member, events) -> serve(member);
        while (true) {
            poller.await(handler, Poller.FOREVER);
        }
    }

    private void serve(Poller.Member member) throws IOException {
        Exchange exchange = (Exchange) member.attachment();
        if (exchange == null) {
            accept();
        } else if (!exchange.serve(protocol, in, page)) {
            member.remove();
            exchange.close();
        }
    }

    private void accept() throws IOException {
        for (SocketChannel channel; (channel = listener.accept()) != null; ) {
            channel.configureBlocking(false);
            poller.add(channel, Poller.POLLIN, new Exchange(channel));
        }
    }

    @Override
    public String engine() {
        return poller.mechanism();
    }
}
