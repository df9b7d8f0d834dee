// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.ring;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.channels.Pipe;

/** How a {@link Poller} is kept from reporting a writing end that has nothing to write; the names are those of {@code micro/ring.c}. */
enum Idle {
    /** Nothing is asked for: it stays in the mechanism. */
    MODIFY("modify") {
        @Override
        int add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException {
            return poller.add(sink, 0, link);
        }

        @Override
        void enable(Poller poller, int descriptor) throws IOException {
            poller.modify(descriptor, Poller.POLLOUT);
        }

        @Override
        void goOn(Poller poller, int descriptor, boolean more) throws IOException {
            if (!more) {
                poller.modify(descriptor, 0);
            }
        }
    },

    /** It is taken out of the mechanism. */
    REMOVE("remove") {
        @Override
        int add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException {
            int descriptor = poller.add(sink, Poller.POLLOUT, link);
            poller.disable(descriptor);
            return descriptor;
        }

        @Override
        void enable(Poller poller, int descriptor) throws IOException {
            poller.enable(descriptor);
        }

        @Override
        void goOn(Poller poller, int descriptor, boolean more) throws IOException {
            if (!more) {
                poller.disable(descriptor);
            }
        }
    },

    /** The mechanism itself does so each time that it has reported it. */
    ONE_SHOT("one-shot") {
        @Override
        int add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException {
            int descriptor = poller.add(sink, Poller.POLLOUT | Poller.ONESHOT, link);
            poller.disable(descriptor);
            return descriptor;
        }

        @Override
        void enable(Poller poller, int descriptor) throws IOException {
            poller.enable(descriptor);
        }

        @Override
        void goOn(Poller poller, int descriptor, boolean more) throws IOException {
            if (more) {
                poller.enable(descriptor);
            }
        }
    };

    private final String word;

    Idle(String word) {
        this.word = word;
    }

    /** Takes the writing end into the poller, idle; returns its descriptor. */
    abstract int add(Poller poller, Pipe.SinkChannel sink, Link link) throws IOException;

    abstract void enable(Poller poller, int descriptor) throws IOException;

    /** After it was reported. */
    abstract void goOn(Poller poller, int descriptor, boolean more) throws IOException;

    @Override
    public String toString() {
        return word;
    }
}
