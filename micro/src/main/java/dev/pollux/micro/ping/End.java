// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One end of the connection, which sends a message of a fixed size and waits for one of the same size. Subclasses say
 * how it waits.
 *
 * <p>Used by one thread. What is received is sent back with its first byte increased, so that a message that was
 * lost, or was never waited for, is noticed. No allocation after construction.
 */
abstract class End implements Closeable {
    final SocketChannel channel;

    private final ByteBuffer message;

    End(SocketChannel channel, int size) {
        this.channel = channel;
        this.message = ByteBuffer.allocateDirect(size);
    }

    /** Returns once there was something to read: what it read into the buffer, or -1 at the end of the stream. */
    abstract int read(ByteBuffer into) throws IOException;

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
            if (read(message) < 0) {
                return false;
            }
        }
        return true;
    }

    /** What the message carries that was received last. */
    final byte number() {
        return message.get(0);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
