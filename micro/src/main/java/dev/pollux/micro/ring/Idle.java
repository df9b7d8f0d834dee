// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.channels.Pipe;

/**
 * How a {@link Poller} is kept from reporting a writing end that has nothing to write; the names are those of {@code
 * micro/ring.c}.
 */
enum Idle {
    /** Nothing is asked for: it stays in the mechanism. */
    MODIFY("modify") {
        @Override
        Poller.Member add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException {
            return poller.add(sink, 0, link);
        }

        @Override
        void enable(Poller.Member sink) throws IOException {
            sink.modify(Poller.POLLOUT);
        }

        @Override
        void goOn(Poller.Member sink, boolean more) throws IOException {
            if (!more) {
                sink.modify(0);
            }
        }
    },

    /** It is taken out of the mechanism. */
    REMOVE("remove") {
        @Override
        Poller.Member add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException {
            Poller.Member member = poller.add(sink, Poller.POLLOUT, link);
            member.disable();
            return member;
        }

        @Override
        void enable(Poller.Member sink) throws IOException {
            sink.enable();
        }

        @Override
        void goOn(Poller.Member sink, boolean more) throws IOException {
            if (!more) {
                sink.disable();
            }
        }
    },

    /** The mechanism itself does so each time that it has reported it. */
    ONE_SHOT("one-shot") {
        @Override
        Poller.Member add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException {
            Poller.Member member = poller.add(sink, Poller.POLLOUT | Poller.ONESHOT, link);
            member.disable();
            return member;
        }

        @Override
        void enable(Poller.Member sink) throws IOException {
            sink.enable();
        }

        @Override
        void goOn(Poller.Member sink, boolean more) throws IOException {
            if (more) {
                sink.enable();
            }
        }
    };

    private final String word;

    Idle(String word) {
        this.word = word;
    }

    /** Takes the writing end into the poller, idle. */
    abstract Poller.Member add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException;

    abstract void enable(Poller.Member sink) throws IOException;

    /** After it was reported. */
    abstract void goOn(Poller.Member sink, boolean more) throws IOException;

    @Override
    public String toString() {
        return word;
    }
}
