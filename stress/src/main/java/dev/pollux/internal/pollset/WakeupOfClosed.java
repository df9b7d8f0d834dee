// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.EPollSelectorProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A waker and a close, after which the descriptors' numbers are a pipe's. Nothing is written into that. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "nothing was written")
@Outcome(expect = Expect.FORBIDDEN, desc = "the waker wrote to a descriptor that was closed")
@State
public class WakeupOfClosed {
    static {
        try {
            new EPollSelectorProvider().openSelector().close(); // loads the library
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final PollSet pollSet;
    private Pipe pipe;
    private boolean refused;

    public WakeupOfClosed() {
        try {
            pollSet = PollSet.open("epoll");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Actor
    public void wakeUp() {
        try {
            pollSet.wakeup();
        } catch (InternalError e) {
            refused = true; // it came between the close and the pipe
        }
    }

    @Actor
    public void close() {
        pollSet.close();
        try {
            pipe = Pipe.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Arbiter
    public void read(I_Result result) {
        try {
            pipe.source().configureBlocking(false);
            result.r1 = refused ? -1 : pipe.source().read(ByteBuffer.allocate(8));
            pipe.source().close();
            pipe.sink().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
