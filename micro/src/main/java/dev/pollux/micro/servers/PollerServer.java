// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A Poller whose listener is a member without an attachment; the connections have their own. One thread waits and
 * serves, level-triggered; subclasses have more of them.
 */
class PollerServer extends ChannelServer {
    final Poller poller = new Poller();
    private final int events;

    PollerServer(Protocol protocol) throws IOException {
        this(protocol, Poller.POLLIN);
    }

    /** Arguments: what is asked for, and what every member is watched for. */
    PollerServer(Protocol protocol, int events) throws IOException {
        super(protocol);
        this.events = events;
    }

    @Override
    final void serve() throws IOException {
        listener.configureBlocking(false);
        poller.add(listener, events);
        serveMembers();
    }

    /** Serves for ever. */
    void serveMembers() throws IOException {
        Server server = new Server();
        Poller.Handler handler = (member, ready) -> server.serve(member);
        while (true) {
            poller.await(handler);
        }
    }

    /** One more thread that serves; its end is the end of the virtual machine. */
    static void startWorker(int number, Work work) {
        new Thread(() -> {
            try {
                work.run();
            } catch (Throwable failure) {
                failure.printStackTrace();
            }
            System.exit(1);
        }, "worker " + number).start();
    }

    /** What a thread does for ever. */
    interface Work {
        void run() throws IOException;
    }

    /** What a serving thread has. */
    final class Server {
        private final ByteBuffer in = room();
        private final ByteBuffer page = protocol.page();

        /** Serves a member that was reported. False if it is gone. */
        boolean serve(Poller.Member member) throws IOException {
            Exchange exchange = (Exchange) member.attachment();
            if (exchange == null) {
                accept();
            } else if (!exchange.serve(protocol, in, page)) {
                member.remove();
                exchange.close();
                return false;
            }
            return true;
        }

        private void accept() throws IOException {
            for (SocketChannel channel; (channel = listener.accept()) != null; ) {
                channel.configureBlocking(false);
                poller.add(channel, events, new Exchange(channel));
            }
        }
    }

    @Override
    public final String version() {
        return poller.mechanism();
    }
}
