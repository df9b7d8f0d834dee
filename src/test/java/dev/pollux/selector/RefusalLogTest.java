// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Telling;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The administrator learns of a refused registration from the log, as nobody else notices it. */
@Tag("beyond-jdk")
class RefusalLogTest {

    private final Logger logger = Logger.getLogger("dev.pollux");
    private final List<LogRecord> records = new ArrayList<>();
    private RuntimeException failure;

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            records.add(logged);
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void listenNoMore() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    @EachProvider
    void theFirstRefusalIsLoggedWithCallChannelAndError(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        DatagramChannel channel = lab.datagram();
        channel.register(selector, OP_WRITE);
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertEquals(1, selector.selectNow());
            lab.datagram().register(selector, OP_WRITE);
            assertEquals(1, selector.selectNow());
            assertTrue(!faults.calls().isEmpty());
        }
        Telling.await();
        assertEquals(1, records.size(), "once for each selector");
        assertEquals(Level.WARNING, records.get(0).getLevel());
        String message = records.get(0).getMessage();
        assertTrue(message.contains(lab.callInMessages()), "the call is named: " + message);
        assertTrue(message.contains("No space left on device"), "the error is named: " + message);
        assertTrue(message.contains(Descriptors.shownName(channel)), "the channel is named: " + message);
    }

    @EachProvider
    void aLogThatFailsBreaksNoSelection(Lab lab) throws Exception {
        lab.needsFallback();
        Selector selector = lab.selector();
        lab.datagram().register(selector, OP_WRITE);
        failure = new IllegalStateException("thrown by the test's log");
        try (Injection faults = Injection.failing(lab.changeCall(), "ENOSPC")) {
            assertEquals(1, selector.selectNow());
            assertEquals(1, selector.select(key -> { }));
            assertTrue(!faults.calls().isEmpty());
        }
        Telling.await();
        assertEquals(1, records.stream().filter(each -> each.getMessage().contains(lab.callInMessages())).count());
    }
}
