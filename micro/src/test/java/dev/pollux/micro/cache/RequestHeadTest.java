// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.micro.cache.RequestHead.Outcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is a page's request, what is another one, and what is none. */
class RequestHeadTest {
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
}
