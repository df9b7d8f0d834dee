// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.Poller;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/**
 * One end of the connection, which sends a message of a fixed size and waits for one of the same size. Subclasses say
 * how it waits.
 *
 * <p>Used by one thread. What is received is sent back with its first byte increased, so that a message that was
 * lost, or was never waited for, is noticed. No allocation after construction.
 */
class End implements Closeable {
    final SocketChannel channel;
    final ByteBuffer message;
    /** Of the last read. */
    int count;

    /** Waits in a blocking read. */
    private End(SocketChannel channel, int size) {
        this.channel = channel;
        this.message = ByteBuffer.allocateDirect(size);
    }

    /** An end that waits in that way, and closes the channel. */
    static End of(String way, SocketChannel channel, int size) throws IOException {
        channel.configureBlocking(way.equals("blocking"));
        return switch (way) {
            case "blocking" -> new End(channel, size);
            case "busy" -> new Busy(channel, size);
            case "poller" -> new Polling(channel, size);
            default -> new Selecting(channel, size);
        };
    }

    /** Waits until there is something to read, and reads it. */
    void await() throws IOException {
        read();
    }

    final void read() throws IOException {
        count = channel.read(message);
    }

    /** Returns the number that the message carries. */
    final byte send() throws IOException {
        byte number = (byte) (message.get(0) + 1);
        message.put(0, number).clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
        return number;
    }

    /** Returns false at the end of the stream. */
    final boolean receive() throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            await();
            if (count < 0) {
                return false;
            }
        }
        return true;
    }

    /** Fails unless the answer to a message was received. One that never came still carries the number sent. */
    final void check(byte sent) throws IOException {
        if (message.get(0) != (byte) (sent + 1)) {
            throw new IOException("message " + sent + " was answered with " + message.get(0));
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Does not wait: reads again and again until there is something. */
    private static final class Busy extends End {
        Busy(SocketChannel channel, int size) {
            super(channel, size);
        }

        @Override
        void await() throws IOException {
            read();
            while (count == 0) {
                Thread.onSpinWait();
                read();
            }
        }
    }

    /** Waits in a selector of its own, of the virtual machine's default provider. */
    private static final class Selecting extends End {
        private final Selector selector = Selector.open();
        /** A field, so that a selection allocates nothing. */
        private final Consumer<SelectionKey> ready = key -> {
            try {
                read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };

        Selecting(SocketChannel channel, int size) throws IOException {
            super(channel, size);
            channel.register(selector, SelectionKey.OP_READ);
        }

        @Override
        void await() throws IOException {
            count = 0;
            selector.select(ready);
        }

        @Override
        public void close() throws IOException {
            selector.close();
            super.close();
        }
    }

    /** Waits in a poller of its own, level-triggered. */
    private static final class Polling extends End {
        private final Poller poller = new Poller();
        /** A field, so that an await allocates nothing. */
        private final Poller.Handler ready = (member, events) -> read();

        Polling(SocketChannel channel, int size) throws IOException {
            super(channel, size);
            poller.add(channel, Poller.POLLIN);
        }

        @Override
        void await() throws IOException {
            count = 0;
            poller.await(ready);
        }

        @Override
        public void close() throws IOException {
            poller.close();
            super.close();
        }
    }
}
