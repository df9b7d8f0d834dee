// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** The ways of waiting, as far as they differ in code. */
enum Kind {
    BLOCKING {
        @Override
        End end(SocketChannel channel, int size) {
            return new BlockingEnd(channel, size);
        }
    },

    BUSY {
        @Override
        End end(SocketChannel channel, int size) throws IOException {
            return new BusyEnd(channel, size);
        }
    },

    SELECTOR {
        @Override
        End end(SocketChannel channel, int size) throws IOException {
            return new SelectorEnd(channel, size);
        }
    },

    POLLER {
        @Override
        End end(SocketChannel channel, int size) throws IOException {
            return new PollerEnd(channel, size);
        }
    };

    /** An end that waits in this way, and closes the channel. */
    abstract End end(SocketChannel channel, int size) throws IOException;
}
