// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What the servers on a poller have in common: the listener is a member without an attachment, the connections have
 * themselves. Subclasses say which threads wait and which serve.
 */
abstract class PollerServer implements Server {
    final Poller poller = new Poller();
    private final Sizes sizes;
    private final int events;
    private ServerSocketChannel listener;

    /** Arguments: the sizes, and what every member is watched for. */
    PollerServer(Sizes sizes, int events) throws IOException {
        this.sizes = sizes;
        this.events = events;
    }

    @Override
    public final void serve(ServerSocketChannel one) throws IOException {
        listener = one;
        one.configureBlocking(false);
        poller.add(one, events);
        serve();
    }

    abstract void serve() throws IOException;

    final ByteBuffer buffer() {
        return sizes.buffer();
    }

    /** Serves a member that was reported. False if it is gone. */
    final boolean served(Poller.Member member, ByteBuffer buffer) throws IOException {
        Connection connection = (Connection) member.attachment();
        if (connection == null) {
            accept();
            return true;
        }
        if (connection.serve(buffer)) {
            return true;
        }
        member.remove();
        connection.close();
        return false;
    }

    private void accept() throws IOException {
        for (SocketChannel channel; (channel = listener.accept()) != null; ) {
            channel.configureBlocking(false);
            poller.add(channel, events, new Connection(channel, sizes));
        }
    }

    @Override
    public final String engine() {
        return poller.mechanism();
    }
}
