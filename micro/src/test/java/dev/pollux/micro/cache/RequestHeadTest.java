// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.micro.cache.RequestHead.Outcome;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is a page's request, what is another one, and what is none; also of requests that chance has broken. Their seed
 * is fixed, and <code>-Dfuzz.seed</code> and <code>-Dfuzz.requests</code> give others and more.
 */
class RequestHeadTest {
    private static final long SEED = Long.getLong("fuzz.seed", 1);
    private static final int REQUESTS = Integer.getInteger("fuzz.requests", 200_000);

    private static final String[] WHOLE = {
        "GET /static/17 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: fuzz\r\nIf-None-Match: W/\"a\", \"b\"\r\n\r\n",
        "HEAD /a HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
        "PUT /static/3 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "\r\nGET /q?a=b HTTP/1.1\r\nHost:\ta \r\nExpect: 100-continue\r\n\r\n",
    };
    private static final String[] PIECES = {"\r", "\n", "\r\n", " ", "\t", ":", "\0", "\u00ff", "Host: b\r\n",
        "Content-Length: 7\r\n", "Transfer-Encoding: chunked\r\n", "\r\n\r\n", "GET ", " HTTP/1.1", "9", ",", "\"",
        "/"};

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final RequestHead other = new RequestHead();
    private final RequestHead head = new RequestHead();

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Outcome parse(String text) {
        return head.parse(bytes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "HEAD /b HTTP/1.1\r\nHOST:a\r\n\r\n",
        "GET /static/1 HTTP/1.0\r\n\r\n",
        "GET /static/1 HTTP/1.9\r\nHost: a\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX:\r\nY: \u00e4 \t b\t \r\n\r\n",
    })
    void aPageIsAskedFor(String text) {
        assertEquals(Outcome.PAGE, parse(text));
        assertEquals(text.length(), head.end);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET /?x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%41 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n\r\n",
        "get / HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    })
    void somebodyElseIsAsked(String text) {
        assertEquals(Outcome.OTHER, parse(text));
        assertEquals(text.length(), head.end);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\rHost: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u0001 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.\r\nHost: a\r\n\r\n",
        "GET /\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\u0000\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000",
    })
    void nobodyIsAsked(String text) {
        assertEquals(Outcome.MALFORMED, parse(text));
    }

    @Test
    void noBeginningIsComplete() {
        String text = "\r\nGET /static/1 HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"x\"\r\n\r\n";
        for (int i = 0; i < text.length(); i++) {
            assertEquals(Outcome.INCOMPLETE, parse(text.substring(0, i)), text.substring(0, i));
        }
    }

    @Test
    void aHeadThatDoesNotEndIsRefused() {
        String text = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
        assertEquals(Outcome.INCOMPLETE, parse(text + "x".repeat(RequestHead.LONGEST - 1 - text.length())));
        assertEquals(Outcome.MALFORMED, parse(text + "x".repeat(RequestHead.LONGEST - text.length())));
    }

    @Test
    void placesAreThoseOfTheBuffer() {
        ByteBuffer data = bytes("before GET /a HTTP/1.1\r\nhost: a\r\nif-none-match: \t W/\"b\" \r\n\r\nafter");
        data.position(7);
        assertEquals(Outcome.PAGE, head.parse(data));
        assertEquals(7, data.position());
        assertEquals("/a", text(data, head.pathStart(), head.pathEnd));
        assertEquals("W/\"b\"", text(data, head.matchStart, head.matchEnd));
        assertEquals("after", text(data, head.end, data.limit()));
        assertFalse(head.isHead);
    }

    private static String text(ByteBuffer data, int from, int to) {
        return new String(data.array(), from, to - from, StandardCharsets.ISO_8859_1);
    }

    @Test
    void connectionsAreKeptUnlessOneSideWillClose() {
        parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assertFalse(head.closes());
        parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive ,\tClose\r\n\r\n");
        assertTrue(head.closes());
        parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n");
        assertFalse(head.closes());
        parse("GET / HTTP/1.0\r\n\r\n");
        assertTrue(head.closes());
    }

    private String broken() {
        StringBuilder text = new StringBuilder(WHOLE[random.nextInt(WHOLE.length)]);
        for (int changes = random.nextInt(4); changes > 0 && text.length() > 0; changes--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(5)) {
                case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                case 1 -> text.deleteCharAt(at);
                case 2 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
                case 3 -> text.delete(at, Math.min(text.length(), at + random.nextInt(20)));
                default -> text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(30))));
            }
        }
        return text.toString();
    }

    @Test
    void theOutcomeDoesNotDependOnHowTheBytesArrive() {
        for (int i = 0; i < REQUESTS; i++) {
            String text = broken();
            Outcome outcome = head.parse(bytes(text));
            int cut = random.nextInt(text.length() + 1);
            Outcome early = other.parse(bytes(text.substring(0, cut)));
            if (early != Outcome.INCOMPLETE) {
                assertEquals(outcome, early, text);
            } else if (outcome == Outcome.PAGE || outcome == Outcome.OTHER) {
                assertTrue(cut < head.end, text);
            }
        }
    }

    @Test
    void whatIsTakenIsWhatNettyTakes() {
        int taken = 0;
        for (int i = 0; i < REQUESTS / 10; i++) {
            String text = broken();
            Outcome outcome = head.parse(bytes(text));
            boolean isTaken = outcome == Outcome.PAGE || outcome == Outcome.OTHER;
            // What encodings there are is for others to judge.
            if (isTaken && !head.isEncoded) {
                compare(text, head);
                taken++;
            }
        }
        assertTrue(taken > REQUESTS / 50, taken + " of " + REQUESTS / 10);
    }

    private static void compare(String text, RequestHead head) {
        EmbeddedChannel netty = new EmbeddedChannel(new HttpRequestDecoder());
        netty.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
        HttpRequest request = netty.readInbound();
        assertFalse(request.decoderResult().isFailure(), text + request.decoderResult());
        assertEquals(request.method().name(), text.substring(head.start, head.methodEnd), text);
        assertEquals(request.uri(), text.substring(head.pathStart(), head.pathEnd), text);
        assertEquals(request.headers().getInt(HttpHeaderNames.CONTENT_LENGTH, 0), head.contentLength(), text);
        netty.finishAndReleaseAll();
    }
}
