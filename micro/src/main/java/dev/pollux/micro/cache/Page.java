// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A page.
 *
 * @param reply the whole reply, to be sent and not changed
 * @param head the length of its head
 */
record Page(String path, HttpResponseStatus status, ByteBuffer reply, int head) {
    Page(String path, int status, String body) {
        this(path, HttpResponseStatus.valueOf(status), body, "HTTP/1.1 " + HttpResponseStatus.valueOf(status)
                + "\r\nContent-Type: text/plain\r\nContent-Length: " + body.length() + "\r\n\r\n");
    }

    private Page(String path, HttpResponseStatus status, String body, String head) {
        this(path, status, ByteBuffer.wrap((head + body).getBytes(StandardCharsets.US_ASCII)), head.length());
    }

    ByteBuffer body() {
        return reply.duplicate().position(head);
    }
}
