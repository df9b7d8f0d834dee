// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
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

    private Heard hear(boolean hasBody) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
            int c = peer.getInputStream().read();
            assertTrue(c >= 0, "the end after: " + head);
            head.append((char) c);
        }
        Heard heard = new Heard(head.toString(), "");
        String length = hasBody ? heard.field("content-length") : null;
        return length == null ? heard : new Heard(heard.head, new String(
                peer.getInputStream().readNBytes(Integer.parseInt(length)), StandardCharsets.ISO_8859_1));
    }

    private Heard ask(String request) throws IOException {
        say(request);
        return hear(!request.startsWith("HEAD"));
    }

    private void assertEnd() throws IOException {
        try {
            assertEquals(-1, peer.getInputStream().read());
        } catch (SocketException reset) {
            // What was sent behind the request was not read.
            assertTrue(reset.getMessage().contains("reset"), reset.getMessage());
        }
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
            Heard fast = ask("GET /static/7" + HOST + "\r\n");
            assertEquals(200, fast.status());
            assertEquals(slow.body, fast.body);
            assertEquals(slow.field("etag"), fast.field("etag"));
            Heard head = ask("HEAD /static/7" + HOST + "\r\n");
            assertEquals("8192", head.field("content-length"));
            assertEquals(304, ask("GET /static/7" + HOST + "If-None-Match: \"x\", W/" + slow.field("etag")
                    + "\r\n\r\n").status());
            assertEquals(200, ask("GET /static/7" + HOST + "If-None-Match: \"x\"\r\n\r\n").status());
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
        assertEquals(405, ask("DELETE /static/1" + HOST + "\r\n").status());
        assertEquals(404, ask("GET /static/1?query" + HOST + "\r\n").status());
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
        Thread sender = new Thread(() -> {
            try {
                for (int at = 0; at < all.length();) {
                    int next = Math.min(all.length(), at + 1 + random.nextInt(500));
                    say(all.substring(at, next));
                    at = next;
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        });
        sender.start();
        for (String path : paths) {
            assertEquals(path, hear(true).body.lines().findFirst().orElse(""));
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aPageThatWasPutIsSeenByTheNextRequest(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        for (int i = 0; i < 30; i++) {
            ask("GET /static/1" + HOST + "\r\n");
            String put = "PUT /static/1" + HOST + "Content-Length: 5\r\n\r\nnew" + (10 + i);
            say(put.substring(0, put.length() - i % 7));
            say(put.substring(put.length() - i % 7) + "GET /static/1" + HOST + "\r\n");
            assertEquals(204, hear(true).status());
            assertEquals("new" + (10 + i), hear(true).body);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aRequestMayComeByteByByte(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        for (int i = 0; i < 2; i++) {
            for (char c : ("\r\nGET /static/2" + HOST + "Accept: */*\r\n\r\n").toCharArray()) {
                say("" + c);
            }
            assertTrue(hear(true).body.startsWith("/static/2\n"));
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void whoWantsItClosedGetsItClosed(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        for (String path : List.of("/static/1", "/static/1", "/dynamic/1")) {
            Heard heard = ask("GET " + path + HOST + "Connection: close\r\n\r\n");
            assertEquals("close", heard.field("connection"));
            assertTrue(heard.body.startsWith(path + "\n"));
            assertEnd();
            peer = connect();
            assertEquals(200, ask("GET " + path + " HTTP/1.0\r\n\r\n").status());
            assertEnd();
            peer = connect();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void theMalformedIsRefusedAndClosed(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        for (String wrong : List.of("GET / HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
                "\u0016\u0003\u0001", "GET /" + "x".repeat(RequestHead.LONGEST))) {
            assertEquals(200, ask("GET /static/1" + HOST + "\r\n").status());
            Heard heard = ask(wrong);
            assertEquals(400, heard.status(), wrong);
            assertEquals("close", heard.field("connection"));
            assertEnd();
            peer = connect();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void nothingThatComesStopsTheServer(String mechanism, boolean handsOver) throws IOException {
        start(mechanism, handsOver);
        SplittableRandom random = new SplittableRandom(2);
        String whole = "GET /static/1" + HOST + "\r\nGET /dynamic/1" + HOST + "\r\nPUT /static/2" + HOST
                + "Content-Length: 9\r\n\r\nsomething";
        for (int i = 0; i < 300; i++) {
            StringBuilder text = new StringBuilder(whole);
            text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
            text.delete(random.nextInt(text.length()), text.length());
            try (Socket hostile = connect()) {
                hostile.setSoLinger(random.nextBoolean(), 0);
                hostile.getOutputStream().write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        assertEquals(200, ask("GET /static/3" + HOST + "\r\n").status());
        assertEquals(200, ask("GET /dynamic/3" + HOST + "\r\n").status());
    }
}
