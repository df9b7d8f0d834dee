// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/**
 * One pipe of the ring: a byte read from it is one to write to the next. Its reading end is always watched, its
 * writing end only while there is a byte for it. Subclasses say how.
 *
 * <p>Used by one thread. No allocation after construction.
 */
abstract class Link implements Closeable {
    final Pipe.SourceChannel source;
    final Pipe.SinkChannel sink;

    /** One byte, shared by the ring: what it holds doesn't matter. */
    private final ByteBuffer buffer;

    private Link next;

    /** Bytes that are to be written to this pipe. */
    private int bytes;

    Link(Pipe pipe, ByteBuffer buffer) throws IOException {
        source = pipe.source();
        sink = pipe.sink();
        this.buffer = buffer;
        source.configureBlocking(false);
        sink.configureBlocking(false);
    }

    final void follow(Link link) {
        next = link;
    }

    /** Has the writing end, which was not watched, reported when it is writable. */
    abstract void enable() throws IOException;

    /** The writing end was reported and used: has it reported again if there is more to write, and if not, not. */
    abstract void goOn(boolean more) throws IOException;

    /** The reading end is ready. */
    final void read() throws IOException {
        if (source.read(buffer.clear()) != 1) {
            throw new IOException("a pipe that was said to be readable has nothing to read");
        }
        if (next.bytes++ == 0) {
            next.enable();
        }
    }

    /** The writing end is ready. */
    final void write() throws IOException {
        put();
        bytes--;
        goOn(bytes > 0);
    }

    /** Writes a byte. */
    final void put() throws IOException {
        if (sink.write(buffer.clear()) != 1) {
            throw new IOException("a pipe that was said to be writable takes nothing");
        }
    }

    /** The bytes that are in this pipe or on their way to it; takes those out that are in. */
    final int drain() throws IOException {
        int found = bytes;
        while (source.read(buffer.clear()) == 1) {
            found++;
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        source.close();
        sink.close();
    }
}
