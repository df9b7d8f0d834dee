// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/**
 * A pipe whose reading end is a one-shot member, with a byte that is read and written to it again: so it is ready as
 * soon as it is enabled. For one thread at a time, to which the Poller gives it. No allocation after construction.
 */
final class Link {
    private final Pipe pipe = Pipe.open();
    private final Poller.Member member;

    /** When it became ready. */
    private long ready;

    Link(Poller poller) throws IOException {
        pipe.source().configureBlocking(false);
        pipe.sink().configureBlocking(false);
        member = poller.add(pipe.source(), Poller.POLLIN | Poller.ONESHOT, this);
    }

    int descriptor() {
        return member.descriptor();
    }

    /** Since when it is ready. */
    long ready() {
        return ready;
    }

    /** Makes it ready for the first time. */
    void begin() throws IOException {
        ready = System.nanoTime();
        write(ByteBuffer.allocate(1));
    }

    /** Deals with it, and makes it ready again. */
    void turn(ByteBuffer buffer) throws IOException {
        if (pipe.source().read(buffer.clear()) != 1) {
            throw new IOException("a pipe that was said to be readable has nothing to read");
        }
        write(buffer.flip());
        ready = System.nanoTime();
        member.enable();
    }

    private void write(ByteBuffer buffer) throws IOException {
        if (pipe.sink().write(buffer) != 1) {
            throw new IOException("an empty pipe takes nothing");
        }
    }
}
