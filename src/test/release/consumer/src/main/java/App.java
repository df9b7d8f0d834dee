// SPDX-License-Identifier: Apache-2.0

import dev.pollux.Poller;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** What a consumer may write: it selects through the property, and uses classes of ours. */
final class App {
    private App() {
    }

    public static void main(String[] arguments) throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.sink().write(ByteBuffer.allocate(1));
        try (Selector selector = Selector.open(); Poller poller = new Poller()) {
            pipe.source().register(selector, SelectionKey.OP_READ);
            System.out.println(selector.select() + " by " + selector.getClass().getName());
            poller.add(pipe.sink(), Poller.POLLOUT);
            System.out.println(poller.await((member, events) -> { }) + " by the Poller");
        }
        serve();
    }

    private static void serve() throws IOException {
        try (StreamServer server = StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> (data, exchange) -> {
                    exchange.send(data);
                    data.position(data.limit());
                }).start(); SocketChannel client = SocketChannel.open(server.address())) {
            client.write(ByteBuffer.allocate(1));
            System.out.println(client.read(ByteBuffer.allocate(1)) + " by the StreamServer");
        }
    }
}
