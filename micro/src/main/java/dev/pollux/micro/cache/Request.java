// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A request that took the slow path.
 *
 * @param match the value of If-None-Match; null if there is none
 * @param closes whether the connection is to be closed behind the reply
 */
record Request(String method, String path, String match, byte[] body, boolean closes) {
    /** Copies what {@link RequestHead} found. */
    static Request of(RequestHead head, ByteBuffer data) {
        byte[] body = new byte[(int) head.contentLength()];
        data.get(head.end, body);
        return new Request(text(data, head.start, head.methodEnd), text(data, head.pathStart(), head.pathEnd),
                head.matchStart < 0 ? null : text(data, head.matchStart, head.matchEnd), body,
                head.closes());
    }

    private static String text(ByteBuffer data, int from, int to) {
        byte[] bytes = new byte[to - from];
        data.get(from, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    boolean isHead() {
        return method.equals("HEAD");
    }

    boolean isRead() {
        return isHead() || method.equals("GET");
    }

    /** Whether whoever asks has the page already. */
    boolean knows(Page page) {
        return isRead() && page.isNamed(match);
    }

    /** The reply. */
    ByteBuffer reply(Page page) {
        return page.reply(isHead(), knows(page), closes);
    }
}
