// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.Poller;
import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A bundle that uses a Poller, a provider of its own, and whatever the JVM's provider is. */
public final class PollingBundle implements BundleActivator {
    @Override
    public void start(BundleContext context) throws IOException {
        poll();
        try (Selector selector = new PolluxSelectorProvider().openSelector()) {
            System.out.println("own " + selector.getClass().getName() + " selected " + select(selector));
        }
        try (Selector selector = Selector.open()) {
            System.out.println("default " + selector.getClass().getName());
        }
    }

    private static void poll() throws IOException {
        Pipe pipe = Pipe.open();
        try (Poller poller = new Poller(); Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            poller.add(source, Poller.POLLIN, null);
            sink.write(ByteBuffer.allocate(1));
            System.out.println("polled " + poller.await((member, events) -> { }));
        }
    }

    private static int select(Selector selector) throws IOException {
        Pipe pipe = selector.provider().openPipe();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            source.register(selector, SelectionKey.OP_READ);
            sink.write(ByteBuffer.allocate(1));
            return selector.select();
        }
    }

    @Override
    public void stop(BundleContext context) {
        // nothing is left open
    }
}
