// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import dev.pollux.Poller;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Waits for channels: a selector of a provider, or a Poller. Interest is that of a {@link SelectionKey}, which has the
 * values of poll(2) for reading and writing. For one thread. Allocates nothing once the channels are there.
 */
interface Waiter extends Closeable {
    /** The class whose name stands for a Poller instead of a provider's selector. */
    String POLLER = Poller.class.getName();

    /** What is asked of a channel, and can be changed. */
    interface Interest {
        void set(int ops) throws IOException;
    }

    Interest add(SelectableChannel channel, int ops) throws IOException;

    /** Waits until a channel is ready, and returns how many are. */
    int await() throws IOException;

    /** One of a provider, by the name of its class, or a Poller. */
    static Waiter of(String provider) throws IOException {
        return provider.equals(POLLER) ? new Polling(new Poller())
                : new Selecting(Setting.named(provider).openSelector());
    }

    /** A selector. */
    record Selecting(Selector selector) implements Waiter {
        private static final Consumer<SelectionKey> READY = key -> { };

        @Override
        public Interest add(SelectableChannel channel, int ops) throws IOException {
            return channel.register(selector, ops)::interestOps;
        }

        @Override
        public int await() throws IOException {
            return selector.select(READY);
        }

        @Override
        public void close() throws IOException {
            selector.close();
        }
    }

    /** A level-triggered Poller. */
    record Polling(Poller poller) implements Waiter {
        private static final Poller.Handler READY = (member, events) -> { };

        @Override
        public Interest add(SelectableChannel channel, int ops) throws IOException {
            return poller.add(channel, ops)::modify;
        }

        @Override
        public int await() throws IOException {
            return poller.await(READY);
        }

        @Override
        public void close() {
            poller.close();
        }
    }
}
