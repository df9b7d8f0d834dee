// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A page with the replies that are made of it. Nobody changes the buffers. Safe for use by many threads once it is
 * prepared, or used by one.
 */
public final class Page {
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final int NOT_ALLOWED = 405;

    final String path;
    final int status;
    final byte[] body;
    final String date = HttpDate.now();

    /** Null if the next answer will be another one. */
    final String etag;
    private final byte[] etagBytes;

    /** The replies that a cache gives, null before it is prepared for one. */
    private ByteBuffer whole;
    private ByteBuffer head;
    private ByteBuffer notModified;

    private Page(String path, int status, byte[] body, String etag) {
        this.path = path;
        this.status = status;
        this.body = body;
        this.etag = etag;
        etagBytes = etag == null ? new byte[0] : ascii(etag);
    }

    /** A page that stays as it is until it is put. */
    static Page lasting(String path, byte[] body) {
        return new Page(path, OK, body, '"' + Long.toHexString(hash(body)) + '"');
    }

    /** A page for one request. */
    static Page passing(String path, byte[] body) {
        return new Page(path, OK, body, null);
    }

    /** An answer without a page. */
    static Page of(int status) {
        return new Page("", status, status == NO_CONTENT ? new byte[0] : ascii(reason(status) + "\n"), null);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** FNV-1a, of 64 bits. */
    private static long hash(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    /** Makes the replies that a cache gives. */
    Page prepare() {
        whole = make(status, false, true);
        head = make(status, false, false);
        notModified = make(NOT_MODIFIED, false, false);
        return this;
    }

    private ByteBuffer make(int code, boolean closes, boolean withBody) {
        StringBuilder lines = new StringBuilder(256).append("HTTP/1.1 ").append(code).append(' ').append(reason(code))
                .append("\r\nDate: ").append(date);
        if (etag != null) {
            lines.append("\r\nETag: ").append(etag);
        }
        if (code == NOT_ALLOWED) {
            lines.append("\r\nAllow: GET, HEAD, PUT");
        }
        if (code != NOT_MODIFIED && code != NO_CONTENT) {
            lines.append("\r\nContent-Type: text/plain\r\nContent-Length: ").append(body.length);
        }
        if (closes) {
            lines.append("\r\nConnection: close");
        }
        byte[] bytes = ascii(lines.append("\r\n\r\n").toString());
        ByteBuffer reply = ByteBuffer.allocate(bytes.length + (withBody ? body.length : 0)).put(bytes);
        return (withBody ? reply.put(body) : reply).flip();
    }

    private static String reason(int code) {
        return switch (code) {
            case OK -> "OK";
            case NO_CONTENT -> "No Content";
            case NOT_MODIFIED -> "Not Modified";
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case NOT_ALLOWED -> "Method Not Allowed";
            case 413 -> "Content Too Large";
            case 417 -> "Expectation Failed";
            case 501 -> "Not Implemented";
            default -> throw new IllegalArgumentException("" + code);
        };
    }

    /**
     * The reply to a request, to be sent and not changed.
     *
     * @param isHead  no body is wanted
     * @param isKnown whoever asks has the page already
     * @param closes  this is the connection's last reply
     */
    ByteBuffer reply(boolean isHead, boolean isKnown, boolean closes) {
        if (whole != null && !closes) {
            return isKnown ? notModified : isHead ? head : whole;
        }
        return make(isKnown ? NOT_MODIFIED : status, closes, !isHead && !isKnown);
    }

    /** Whether a value of If-None-Match names this page (RFC 9110, 13.1.2). If there is none, from is negative. */
    boolean isNamed(ByteBuffer data, int from, int to) {
        if (from < 0 || etag == null) {
            return false;
        }
        if (to - from == 1 && data.get(from) == '*') {
            return true;
        }
        for (int at = from; at <= to - etagBytes.length; at++) {
            if (RequestHead.equal(data, at, at + etagBytes.length, etagBytes)) {
                return true;
            }
        }
        return false;
    }

    /** The same for a value that may be null. */
    boolean isNamed(String value) {
        return value != null && etag != null && (value.equals("*") || value.contains(etag));
    }

    /** What it takes of a cache's room, for which it has been prepared. */
    int size() {
        return whole.capacity() + head.capacity() + notModified.capacity() + body.length + path.length();
    }

    /** The date as HTTP has it (RFC 9110, 5.6.7), made once in a second. Safe for use by many threads. */
    private static final class HttpDate {
        private static final DateTimeFormatter FORMAT =
                DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT).withZone(ZoneOffset.UTC);

        private static volatile HttpDate last = new HttpDate(0);

        private final long second;
        private final String text;

        private HttpDate(long second) {
            this.second = second;
            text = FORMAT.format(Instant.ofEpochSecond(second));
        }

        static String now() {
            long second = System.currentTimeMillis() / 1000;
            HttpDate date = last;
            if (date.second != second) {
                last = date = new HttpDate(second);
            }
            return date.text;
        }
    }
}
