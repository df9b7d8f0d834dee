// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is plain, and what is not; also of requests that chance has broken, beside Netty. */
class PlainRequestTest {
    private static final String PLAIN =
            "GET /static/17 HTTP/1.1\r\nHost: a\r\nUser-Agent: \t fuzz\r\nACCEPT:*/*\r\n\r\n";
    private static final String[] PIECES = {"\r", "\n", "\r\n", " ", "\t", ":", "\0", "\u00ff", "Host: b\r\n",
        "Content-Length: 7\r\n", "Accept: x\r\n", "\r\n\r\n", "GET ", " HTTP/1.1", "/"};

    private final PlainRequest request = new PlainRequest();

    private int find(String text) {
        return request.find(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void onlyAWholeHeadIsPlain() {
        for (int i = 0; i < PLAIN.length(); i++) {
            assertEquals(PlainRequest.INCOMPLETE, find(PLAIN.substring(0, i)));
        }
        assertEquals(PLAIN.length(), find(PLAIN + "GET"));
        assertEquals("/static/17", request.path());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "POST / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nAccept: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\u0000\r\n\r\n",
        "GET /\r\n\r\n",
        "\r\n\r\n",
    })
    void allElseIsForOthers(String text) {
        assertEquals(PlainRequest.OTHER, find(text));
    }

    @Test
    void aHeadThatDoesNotEndIsForOthers() {
        assertEquals(PlainRequest.INCOMPLETE, find("x".repeat(PlainRequest.LONGEST - 1)));
        assertEquals(PlainRequest.OTHER, find("x".repeat(PlainRequest.LONGEST)));
    }

    @Test
    void whatIsPlainIsWhatNettyTakes() {
        SplittableRandom random = new SplittableRandom(1);
        int plain = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(PLAIN);
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
                    default -> text.delete(at, at + random.nextInt(10));
                }
            }
            if (find(text.toString()) >= 0) {
                compare(text.toString());
                plain++;
            }
        }
        assertTrue(plain > 5000, plain + " were plain");
    }

    private void compare(String text) {
        EmbeddedChannel netty = new EmbeddedChannel(new HttpRequestDecoder());
        netty.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
        HttpRequest read = netty.readInbound();
        assertTrue(read.decoderResult().isSuccess(), text + read.decoderResult());
        assertEquals("GET " + request.path(), read.method() + " " + read.uri(), text);
        netty.finishAndReleaseAll();
    }
}
