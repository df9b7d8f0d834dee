// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Warnings;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** What others have chosen, a thread's name or a peer's path, can't write lines of its own into the log. */
@Tag("beyond-jdk")
@Tag("load")
class ForeignTextTest {
    private static final String HOSTILE = "x\nSEVERE: forged\r\u001b[2J\u009b\u202e";
    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    private final String name = Thread.currentThread().getName();
    private Warnings warnings;

    @BeforeEach
    void listen() {
        assumeFalse(Descriptors.WINDOWS, "no path has such characters there");
        warnings = new Warnings();
        Thread.currentThread().setName(HOSTILE);
    }

    @AfterEach
    void listenNoMore() {
        Thread.currentThread().setName(name);
        if (warnings != null) {
            warnings.close();
        }
    }

    @EachProvider
    void ofAPeersPathAndAThreadsNameOnlyVisibleCharactersAreLogged(Lab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        Path peer = folder.resolve(HOSTILE);
        Path path = folder.resolve("server");
        SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            client.bind(UnixDomainSocketAddress.of(peer)).connect(server.getLocalAddress());
            try (SocketChannel accepted = server.accept()) {
                Selector selector = lab.selector();
                accepted.configureBlocking(false).register(selector, OP_READ);
                client.close(); // the end of the stream, which nobody reads
                select(selector);
            }
        } finally {
            for (Path each : new Path[] {peer, path, folder}) {
                Files.deleteIfExists(each);
            }
        }
        assertIsOneLine("the stream has ended", "\\u000aSEVERE: forged");
    }

    @EachProvider
    void ofAWakersNameOnlyVisibleCharactersAreLogged(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Thread waker = new Thread(() -> {
            while (selector.isOpen()) {
                selector.wakeup();
            }
        }, HOSTILE);
        waker.start();
        select(selector);
        selector.close();
        waker.join();
        LogRecord logged = warnings.records().get(0);
        assertIsOneLine("Call wakeup() once", "\\u000aSEVERE: forged");
        String lines = new SimpleFormatter().format(logged);
        assertFalse(lines.lines().anyMatch(line -> line.startsWith("SEVERE: forged")), lines);
    }

    private void select(Selector selector) throws Exception {
        long end = System.nanoTime() + LONG;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            selector.select();
            selector.selectedKeys().clear();
        }
    }

    private void assertIsOneLine(String... parts) {
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        String message = warnings.messages().get(0);
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
        message.codePoints().forEach(c -> assertFalse(Character.isISOControl(c) || c == 0x202e, message));
    }
}
