// SPDX-License-Identifier: Apache-2.0

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Echoes what it receives. Any number of threads may run it. */
final class EchoServer implements Poller.Handler, Runnable {
    private final Poller poller = new Poller();
    private final ServerSocketChannel server = ServerSocketChannel.open();
    private final Poller.Member listener;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    // What is still to be sent is kept in the buffer, from its position to its limit.
    record Connection(SocketChannel channel, ByteBuffer unsent) {
    }

    EchoServer(int port) throws IOException {
        server.bind(new InetSocketAddress(port)).configureBlocking(false);
        listener = poller.add(server, Poller.POLLIN | Poller.ONESHOT);
    }

    public void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {    // else await would return at once, again and again
                if (poller.await(this, 1, TimeUnit.SECONDS) == 0) {
                    listener.enable();                           // in case that accept has failed
                }
            }
        } catch (ClosedPollerException e) {                      // the server was closed
            connections.forEach(this::end);
        } catch (IOException e) {
            throw new UncheckedIOException(e);                   // the system can't wait
        }
    }

    public void ready(Poller.Member member, int events) throws IOException {
        if (member.equals(listener)) {
            accept();
        } else {
            echo(member, (Connection) member.attachment());
        }
    }

    private void accept() {
        try {
            SocketChannel accepted = server.accept();
            if (accepted != null) {
                connections.add(accepted);
                accepted.configureBlocking(false);
                ByteBuffer none = ByteBuffer.allocateDirect(4096).limit(0);
                poller.add(accepted, Poller.POLLIN | Poller.ONESHOT, new Connection(accepted, none));
            }
            listener.enable();
        } catch (IOException e) {
            System.err.println("can't accept now: " + e);        // out of descriptors: the others go on
        }
    }

    private void echo(Poller.Member member, Connection connection) throws IOException {
        ByteBuffer unsent = connection.unsent();
        try {
            boolean open = true;
            if (!unsent.hasRemaining()) {
                open = connection.channel().read(unsent.clear()) >= 0;
                unsent.flip();
            }
            if (open) {
                connection.channel().write(unsent);              // as much as goes out now
                int next = unsent.hasRemaining() ? Poller.POLLOUT : Poller.POLLIN; // who does not read, is not read
                member.modify(next | Poller.ONESHOT);            // one thread, any thread, may have it then
                return;
            }
        } catch (IOException e) {
            System.err.println("lost a client: " + e);
        }
        member.remove();                                         // before it is closed
        end(connection.channel());
        listener.enable();                                       // there is a descriptor for the next one now
    }

    private void end(SocketChannel connection) {
        connections.remove(connection);
        try {
            connection.close();
        } catch (IOException e) {
            System.err.println("lost a client: " + e);
        }
    }

    void close() throws IOException {
        poller.close();
        connections.forEach(this::end);                          // a thread that accepts just now ends that one
        server.close();
    }
}
