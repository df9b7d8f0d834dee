// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole application on real sockets: with either slow path, on each mechanism. */
class CacheServerTest {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final String HOST = " HTTP/1.1\r\nHost: a\r\n";

    private final InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private StreamServer server;
    private Socket peer;

    static Stream<Arguments> servers() {
        return Stream.of("io_uring", "epoll", "poll").filter(CacheServerTest::isHere)
                .flatMap(mechanism -> Stream.of(Arguments.of(mechanism, false), Arguments.of(mechanism, true)));
    }

    private static boolean isHere(String mechanism) {
        try {
            CacheServers.deferring(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), mechanism).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void start(String mechanism, boolean handsOver) throws IOException {
        server = handsOver ? CacheServers.handingOver(anyPort, mechanism) : CacheServers.deferring(anyPort, mechanism);
        peer = connect();
    }

    private Socket connect() throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.address();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        server.close();
    }

    private void say(String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A reply: its head and its body. */
    private record Heard(String head, String body) {
        int status() {
            return Integer.parseInt(head.split(" ")[1]);
        }

        String field(String name) {
            for (String line : head.split("\r\n")) {
                if (line.toLowerCase(Locale.ROOT).startsWith(name + ":")) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return null;
        }
    }

    private Heard hear() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
            int c = peer.getInputStream().read();
            assertTrue(c >= 0, "the end after: " + head);
            head.append((char) c);
        }
        Heard heard = new Heard(head.toString(), "");
        int length = Integer.parseInt(heard.field("content-length"));
        return new Heard(heard.head,
                new String(peer.getInputStream().readNBytes(length), StandardCharsets.ISO_8859_1));
    }

    private Heard ask(String request) throws IOException {
        say(request);
        return hear();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void pagesComeFromTheCacheAsFromTheSlowPath(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        Heard slow = ask("GET /static/7" + HOST + "\r\n");
        assertEquals(200, slow.status());
        assertEquals(8192, slow.body.length());
        assertTrue(slow.body.startsWith("/static/7\n"));
        for (int i = 0; i < 3; i++) {
            assertEquals(slow.body, ask("GET /static/7" + HOST + "\r\n").body);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void theRestTakesTheSlowPathAndComesBack(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        for (int i = 0; i < 50; i++) {
            assertTrue(ask("GET /dynamic/" + i + HOST + "\r\n").body.startsWith("/dynamic/" + i + "\n"));
            assertTrue(ask("GET /static/" + i % 3 + HOST + "\r\n").body.startsWith("/static/" + i % 3 + "\n"));
        }
        assertEquals(404, ask("GET /nothing" + HOST + "\r\n").status());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void repliesHaveTheOrderOfPipelinedRequests(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        StringBuilder requests = new StringBuilder();
        SplittableRandom random = new SplittableRandom(1);
        List<String> paths = random.ints(300, 0, 20)
                .mapToObj(n -> random.nextInt(10) < 7 ? "/static/" + n : "/dynamic/" + n).toList();
        paths.forEach(path -> requests.append("GET ").append(path).append(HOST).append("\r\n"));
        String all = requests.toString();
        for (int at = 0; at < all.length();) {
            int next = Math.min(all.length(), at + 1 + random.nextInt(500));
            say(all.substring(at, next));
            at = next;
        }
        for (String path : paths) {
            assertEquals(path, hear().body.lines().findFirst().orElse(""));
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void nettyKeepsAConnectionWhoseRequestIsNotPlain(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        assertEquals(200, ask("GET /static/1" + HOST + "\r\n").status());
        assertEquals(405, ask("PUT /static/1" + HOST + "Content-Length: 3\r\n\r\nnew").status());
        assertEquals(200, ask("GET /static/1" + HOST + "\r\n").status());
        assertEquals("close", ask("GET /dynamic/1" + HOST + "Connection: close\r\n\r\n").field("connection"));
        assertEquals(-1, peer.getInputStream().read());
        peer = connect();
        assertEquals(400, ask("nonsense\r\n\r\n").status());
        assertEquals(-1, peer.getInputStream().read());
    }
}
