// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.lab.Workbench;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An echo server over TCP and Unix-domain sockets, and its clients. */
abstract class EchoScenario extends Scenario {
    private static final int CLIENTS = 24;
    private static final int BACKLOG = 1024;

    protected EchoScenario(Site site) {
        super(site);
    }

    /** Starts the server. */
    abstract void startServer(List<ServerSocketChannel> listeners) throws Exception;

    @Override
    final void start() throws Exception {
        List<ServerSocketChannel> listeners = listeners();
        List<SocketAddress> addresses = new ArrayList<>();
        for (ServerSocketChannel listener : listeners) {
            addresses.add(listener.getLocalAddress());
        }
        startServer(listeners);
        Clients clients = new Clients(this, addresses, cutsConnections());
        drive("clients", () -> clients.run(CLIENTS));
    }

    private List<ServerSocketChannel> listeners() throws Exception {
        Path path = site.folder().resolve(name());
        ServerSocketChannel tcp = opened(opening(site.provider()::openServerSocketChannel));
        tcp.bind(Workbench.loopback(0), BACKLOG).configureBlocking(false);
        ServerSocketChannel unix = opened(opening(
                () -> site.provider().openServerSocketChannel(StandardProtocolFamily.UNIX)));
        unix.bind(UnixDomainSocketAddress.of(path), BACKLOG).configureBlocking(false);
        opened(() -> Files.delete(path));
        return List.of(tcp, unix);
    }

    /** The next connection; null if there is none, or no descriptor for it. */
    protected final SocketChannel accept(ServerSocketChannel listener) throws Exception {
        SocketChannel accepted;
        try {
            accepted = listener.accept();
        } catch (IOException e) {
            requireLimit(e);
            Thread.sleep(1);
            return null;
        }
        if (accepted != null) {
            tally.opened.increment();
            accepted.configureBlocking(false);
        }
        return accepted;
    }
}
