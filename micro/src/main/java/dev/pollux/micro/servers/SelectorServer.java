// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One thread with one selector, of whatever provider this virtual machine has. */
public final class SelectorServer extends ChannelServer {
    private final Selector selector = Selector.open();
    private final ByteBuffer in = room();
    private final ByteBuffer page = protocol.page();

    /** Whether it sets its interest in writing for each reply, and clears it again, as Kafka does. */
    private final boolean asksToWrite;

    /** Answers the requests of a protocol; if it asks to write, only when the channel is reported to be writable. */
    public SelectorServer(Protocol protocol, boolean asksToWrite) throws IOException {
        super(protocol);
        this.asksToWrite = asksToWrite;
    }

    @Override
    void serve() throws IOException {
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        while (true) {
            selector.select(this::ready);
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (!(key.attachment() instanceof Exchange exchange)) {
                accept();
            } else if (asksToWrite && key.isReadable()) {
                key.interestOps(SelectionKey.OP_WRITE);
            } else if (!exchange.serve(protocol, in, page)) {
                exchange.close();
            } else if (asksToWrite) {
                key.interestOps(SelectionKey.OP_READ);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() throws IOException {
        for (SocketChannel channel; (channel = listener.accept()) != null; ) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, new Exchange(channel));
        }
    }

    @Override
    public String version() {
        return selector.getClass().getSimpleName();
    }
}
