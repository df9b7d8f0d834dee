// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Framework;
import dev.pollux.compatibility.Trial;
import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/** A media driver, and messages over UDP on eight ports: with more than five, the driver polls with a selector. */
public final class Main implements Framework {
    private static final int STREAM = 1;
    private static final int PORTS = 8;
    private static final int MESSAGES = 1500;
    private static final int SIZE = 256;

    private final Path folder;
    private MediaDriver driver;
    private Aeron aeron;

    private Main() throws IOException {
        folder = Files.createTempDirectory("aeron");
    }

    public static void main(String[] arguments) throws IOException {
        Trial.run(new Main());
    }

    @Override
    public void start() {
        driver = MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(folder.resolve("driver").toString())
                .threadingMode(ThreadingMode.DEDICATED).termBufferSparseFile(true)
                .publicationTermBufferLength(1 << 16).ipcTermBufferLength(1 << 16).dirDeleteOnShutdown(true)
                .warnIfDirectoryExists(false));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
    }

    @Override
    public long drive() throws Exception {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < PORTS; i++) {
            links.add(new Link(aeron));
        }
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        long received = 0;
        while (received < (long) PORTS * MESSAGES) {
            received = 0;
            for (Link link : links) {
                received += link.step();
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("only " + received + " messages came");
            }
        }
        links.forEach(Link::close);
        return received;
    }

    @Override
    public void stop() {
        aeron.close();
        driver.close();
    }

    /** Messages on one port, each with its number. */
    private static final class Link {
        private final Publication publication;
        private final Subscription subscription;
        private final UnsafeBuffer message = new UnsafeBuffer(new byte[SIZE]);
        private final FragmentHandler handler;
        private int sent;
        private int received;

        Link(Aeron aeron) throws IOException {
            String channel;
            try (DatagramSocket any = new DatagramSocket(0)) {
                channel = "aeron:udp?endpoint=127.0.0.1:" + any.getLocalPort();
            }
            subscription = aeron.addSubscription(channel, STREAM);
            publication = aeron.addPublication(channel, STREAM);
            handler = (buffer, offset, length, header) -> {
                if (length != SIZE || buffer.getInt(offset) != received) {
                    throw new IllegalStateException("another message than number " + received);
                }
                received++;
            };
        }

        /** Sends and receives what can be; returns how many have arrived. */
        int step() {
            message.putInt(0, sent);
            if (sent < MESSAGES && publication.offer(message) > 0) {
                sent++;
            }
            subscription.poll(handler, 10);
            return received;
        }

        void close() {
            publication.close();
            subscription.close();
        }
    }
}
