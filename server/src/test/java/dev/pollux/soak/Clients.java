// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.List;

/** The clients of one echo server, with one selector and one thread. */
final class Clients {
    private final EchoScenario scenario;
    private final List<SocketAddress> servers;
    private final boolean mayBeCut;
    private final Selector selector;
    private int open;

    /** @param mayBeCut whether the server closes connections on its own */
    Clients(EchoScenario scenario, List<SocketAddress> servers, boolean mayBeCut) throws Exception {
        this.scenario = scenario;
        this.servers = servers;
        this.mayBeCut = mayBeCut;
        selector = scenario.selector();
    }

    void run(int many) throws Exception {
        for (int i = 0; i < many; i++) {
            open++;
            new Client(this, scenario.flow("client " + i)).connect();
        }
        while (open > 0) {
            selector.select();
            for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext();) {
                SelectionKey key = i.next();
                i.remove();
                tally().events.increment();
                ((Client) key.attachment()).ready();
            }
            Scenario.pause();
        }
    }

    SocketAddress address() {
        return servers.get(Scenario.random(servers.size()));
    }

    SocketChannel open(SocketAddress address) throws Exception {
        return scenario.opening(() -> address instanceof InetSocketAddress
                ? scenario.site.provider().openSocketChannel()
                : scenario.site.provider().openSocketChannel(StandardProtocolFamily.UNIX));
    }

    boolean isTcp(SocketChannel channel) throws IOException {
        return channel.getLocalAddress() instanceof InetSocketAddress;
    }

    SelectionKey register(SocketChannel channel, int interest, Client client) throws ClosedChannelException {
        return channel.register(selector, interest, client);
    }

    /** Passes an exception on, unless the server closes connections on its own. */
    void cut(IOException e) throws IOException {
        if (!mayBeCut) {
            throw e;
        }
        tally().expected.increment();
    }

    void ended(Flow flow) {
        scenario.end(flow);
        open--;
    }

    boolean isStopping() {
        return scenario.isStopping();
    }

    Tally tally() {
        return scenario.tally;
    }
}
