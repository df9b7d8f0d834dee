// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;

/**
 * A ring of pipes in which some bytes run around, as in {@code micro/ring.c}, and the loop that keeps them running.
 * Subclasses wait.
 *
 * <p>Used by one thread. No allocation once it is made.
 */
abstract class Ring implements Closeable {
    /** Reads between two looks at the clock. */
    private static final int CLOCK_EVERY = 256;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1);
    private final List<Link> links = new ArrayList<>();
    private int tokens;
    private long reads;

    /** Takes the pipe into the set and has its reading end watched. */
    abstract Link link(Pipe pipe, ByteBuffer byteBuffer) throws IOException;

    /** Waits, and calls {@link #readable} or {@link Link#write} for what is ready. */
    abstract void await() throws IOException;

    final void make(int pipes, int running) throws IOException {
        for (int at = 0; at < pipes; at++) {
            links.add(link(Pipe.open(), buffer));
        }
        for (int at = 0; at < pipes; at++) {
            links.get(at).follow(links.get((at + 1) % pipes));
        }
        for (int token = 0; token < running; token++) {
            links.get((int) ((long) token * pipes / running + pipes / 2) % pipes).put();
        }
        tokens = running;
    }

    final void readable(Link link) throws IOException {
        reads++;
        link.read();
    }

    /** Runs for so many nanoseconds or a little longer; returns the number of reads. */
    final long run(long nanos) throws IOException {
        long before = reads;
        long end = System.nanoTime() + nanos;
        do {
            turn(CLOCK_EVERY);
        } while (System.nanoTime() - end < 0);
        return reads - before;
    }

    /** Runs until there were so many reads more. */
    final void turn(long more) throws IOException {
        long end = reads + more;
        while (reads < end) {
            await();
        }
    }

    /** Ends the run: every byte is somewhere, or the figures are worth nothing. */
    final void end() throws IOException {
        int found = 0;
        for (Link link : links) {
            found += link.drain();
        }
        if (found != tokens) {
            throw new IOException(found + " bytes were found of " + tokens);
        }
    }

    @Override
    public void close() throws IOException {
        for (Link link : links) {
            link.close();
        }
    }
}
