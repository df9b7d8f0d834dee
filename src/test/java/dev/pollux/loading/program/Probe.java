// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * An application that knows nothing of Pollux. It prints the selector's class, whether all providers are one object
 * and whether a selection finds a byte; or what was thrown, at each of two tries.
 */
public final class Probe {

    private Probe() {
    }

    /** Runs the application; exit code 1 if something was thrown. */
    public static void main(String[] arguments) {
        boolean first = attempt();
        boolean second = attempt();
        System.exit(first && second ? 0 : 1);
    }

    private static boolean attempt() {
        try (Selector selector = Selector.open()) {
            System.out.println("selector " + selector.getClass().getName());
            System.out.println("provider " + selector.provider().getClass().getName());
            System.out.println("one identity " + oneIdentity(selector));
            System.out.println("selected " + select(selector));
            return true;
        } catch (IOException e) {
            System.out.println("IOException " + e.getMessage());
            return false;
        }
    }

    private static boolean oneIdentity(Selector selector) throws IOException {
        SelectorProvider provider = SelectorProvider.provider();
        try (SocketChannel socket = SocketChannel.open(); ServerSocketChannel server = ServerSocketChannel.open();
                DatagramChannel datagram = DatagramChannel.open()) {
            return selector.provider() == provider && socket.provider() == provider && server.provider() == provider
                    && datagram.provider() == provider;
        }
    }

    private static int select(Selector selector) throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            source.register(selector, SelectionKey.OP_READ);
            sink.write(ByteBuffer.allocate(1));
            return selector.select(10_000);
        }
    }
}
