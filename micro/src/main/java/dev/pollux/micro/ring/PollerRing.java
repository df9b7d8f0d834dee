// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Waits in a {@link Poller}. Used by one thread; allocates nothing once it is made. */
final class PollerRing extends Ring {
    private final Poller poller = new Poller();
    private final Idle idle;

    /** A field, so that an await allocates nothing. */
    private final Poller.Handler ready = this::ready;

    PollerRing(Idle idle) throws IOException {
        this.idle = idle;
    }

    @Override
    Link link(Pipe pipe, ByteBuffer buffer) throws IOException {
        return new PolledLink(pipe, buffer, poller, idle);
    }

    @Override
    void await() throws IOException {
        poller.await(ready, Poller.FOREVER);
    }

    private void ready(Poller.Member member, int events) throws IOException {
        PolledLink link = (PolledLink) member.attachment();
        if (member == link.sinkMember) {
            link.write();
        } else {
            readable(link);
        }
    }

    @Override
    public void close() throws IOException {
        poller.close();
        super.close();
    }

    private static final class PolledLink extends Link {
        private final Idle idle;
        private final Poller.Member sinkMember;

        PolledLink(Pipe pipe, ByteBuffer buffer, Poller poller, Idle idle) throws IOException {
            super(pipe, buffer);
            this.idle = idle;
            poller.add(source, Poller.POLLIN, this);
            sinkMember = idle.add(poller, sink, this);
        }

        @Override
        void enable() throws IOException {
            idle.enable(sinkMember);
        }

        @Override
        void goOn(boolean more) throws IOException {
            idle.goOn(sinkMember, more);
        }
    }
}
