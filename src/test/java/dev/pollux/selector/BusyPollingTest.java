// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** What is promised of a selection holds for one that polls before it blocks. */
class BusyPollingTest {

    private static final String PROPERTY = "dev.pollux.busypoll";

    @BeforeEach
    void poll() {
        System.setProperty(PROPERTY, "2000");
    }

    @AfterEach
    void stop() {
        System.clearProperty(PROPERTY);
    }

    @EachProvider
    void aTimeoutShorterThanTheSpinHoldsAndALongerOneToo(Lab lab) throws Exception {
        try (Selector selector = lab.provider().openSelector()) {
            for (long millis : new long[] {1, 30}) {
                long start = System.nanoTime();
                assertEquals(0, selector.select(millis));
                assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(millis));
            }
        }
    }

    @EachProvider
    void wakeupsOfAnotherThreadEndPollingAndBlockedSelections(Lab lab) throws Exception {
        try (Selector here = lab.provider().openSelector(); Selector there = lab.provider().openSelector()) {
            Thread echo = new Thread(() -> {
                try {
                    for (int i = 0; i < 2000; i++) {
                        there.select();
                        here.wakeup();
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            echo.start();
            for (int i = 0; i < 2000; i++) {
                there.wakeup();
                assertEquals(0, here.select(), "a wakeup");
            }
            echo.join();
        }
    }

    @EachProvider
    void whatArrivesWhileItSpinsIsDelivered(Lab lab) throws Exception {
        try (Selector selector = lab.provider().openSelector()) {
            Pipe pipe = lab.provider().openPipe();
            try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
                source.configureBlocking(false);
                SelectionKey key = source.register(selector, SelectionKey.OP_READ);
                for (int i = 0; i < 50; i++) {
                    Thread writer = new Thread(() -> {
                        try {
                            sink.write(ByteBuffer.allocate(1));
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    });
                    writer.start();
                    assertEquals(1, selector.select());
                    assertTrue(key.isReadable());
                    assertEquals(1, source.read(ByteBuffer.allocate(8)));
                    selector.selectedKeys().clear();
                    writer.join();
                }
                key.cancel();
                selector.selectNow();
            }
        }
    }

    @EachProvider
    void anInterruptEndsAPollingSelection(Lab lab) throws Exception {
        try (Selector selector = lab.provider().openSelector()) {
            Thread.currentThread().interrupt();
            assertEquals(0, selector.select());
            assertTrue(Thread.interrupted());
        }
    }

    @EachProvider
    @Tag("beyond-jdk")
    void aValueThatIsNoNumberIsAnIOExceptionOfOpening(Lab lab) {
        System.setProperty(PROPERTY, "much");
        IOException thrown = assertThrows(IOException.class, () -> lab.provider().openSelector());
        assertTrue(thrown.getMessage().contains(PROPERTY), thrown.getMessage());
    }
}
