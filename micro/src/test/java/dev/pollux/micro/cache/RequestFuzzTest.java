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

/**
 * Requests that chance has broken. The seed is fixed, and <code>-Dfuzz.seed</code> and <code>-Dfuzz.requests</code>
 * give others and more. A failure's message has the request.
 */
class RequestFuzzTest {
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
    private final RequestHead head = new RequestHead();
    private final RequestHead other = new RequestHead();

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

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
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
