// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the fields of a request's head mean, as far as a cache must know. Of those that it does not know, what they say
 * of a page does not matter: its pages are the same for everybody. For one thread; allocates nothing.
 */
final class RequestFields {
    private static final byte[] HOST = word("host");
    private static final byte[] CONNECTION = word("connection");
    private static final byte[] CLOSE = word("close");
    private static final byte[] CONTENT_LENGTH = word("content-length");
    private static final byte[] TRANSFER_ENCODING = word("transfer-encoding");
    private static final byte[] IF_NONE_MATCH = word("if-none-match");

    /** Those that ask for what a cache of whole pages can't do. */
    private static final byte[][] FOR_OTHERS = {word("expect"), word("upgrade"), word("range"), word("if-range"),
        word("if-match"), word("if-modified-since"), word("if-unmodified-since"), word("authorization")};

    private static final byte[] EXPECT = FOR_OTHERS[0];

    private ByteBuffer data;
    private int hosts;
    /** Where the value of If-None-Match begins; negative if there is none. */
    int matchStart;
    int matchEnd;
    private long contentLength;
    /** Whether the body comes in an encoding that says its length. */
    boolean isEncoded;
    private boolean isForOthers;
    /** Whether the sender of a body waits until it is told to go on. */
    boolean expects;
    boolean closes;

    private static byte[] word(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    void begin(ByteBuffer bytes) {
        data = bytes;
        hosts = 0;
        matchStart = -1;
        matchEnd = -1;
        contentLength = -1;
        isEncoded = false;
        isForOthers = false;
        expects = false;
        closes = false;
    }

    /** Takes a field: its name begins at the first place, a colon follows at the second. False if it is malformed. */
    boolean add(int name, int nameEnd, int lineEnd) {
        int from = nameEnd + 1;
        int to = lineEnd;
        while (from < to && Characters.isBlank(data.get(from))) {
            from++;
        }
        while (to > from && Characters.isBlank(data.get(to - 1))) {
            to--;
        }
        if (is(name, nameEnd, HOST)) {
            hosts++;
        } else if (is(name, nameEnd, CONNECTION)) {
            closes |= lists(from, to, CLOSE);
        } else if (is(name, nameEnd, CONTENT_LENGTH)) {
            return addLength(from, to);
        } else if (is(name, nameEnd, TRANSFER_ENCODING)) {
            isEncoded = true;
        } else if (is(name, nameEnd, IF_NONE_MATCH)) {
            isForOthers |= matchStart >= 0; // a list in two fields
            matchStart = from;
            matchEnd = to;
        } else {
            expects |= is(name, nameEnd, EXPECT);
            for (byte[] other : FOR_OTHERS) {
                isForOthers |= is(name, nameEnd, other);
            }
        }
        return true;
    }

    private boolean is(int name, int nameEnd, byte[] word) {
        return Characters.equalIgnoringCase(data, name, nameEnd, word);
    }

    private boolean addLength(int from, int to) {
        long length = 0;
        for (int i = from; i < to; i++) {
            if (!Characters.isDigit(data.get(i)) || length > Integer.MAX_VALUE) {
                return false;
            }
            length = 10 * length + data.get(i) - '0';
        }
        boolean isFirst = contentLength < 0;
        contentLength = length;
        return from < to && isFirst;
    }

    /** Whether a list, separated by commas, has a word. */
    private boolean lists(int from, int to, byte[] word) {
        for (int at = from; at < to;) {
            int comma = at;
            while (comma < to && data.get(comma) != ',') {
                comma++;
            }
            int end = comma;
            while (at < end && Characters.isBlank(data.get(at))) {
                at++;
            }
            while (end > at && Characters.isBlank(data.get(end - 1))) {
                end--;
            }
            if (is(at, end, word)) {
                return true;
            }
            at = comma + 1;
        }
        return false;
    }

    /** No two readers of these fields can see different requests in them (RFC 9112, 3.2 and 6.3). */
    boolean areConsistent(boolean isOld) {
        boolean hasHost = isOld ? hosts <= 1 : hosts == 1;
        return hasHost && !(isEncoded && (contentLength >= 0 || isOld));
    }

    /** There is no body, and nothing that asks for more than a page. */
    boolean permitCache() {
        return !isForOthers && !isEncoded && contentLength <= 0;
    }

    /** The bytes of the body; at most a little more than an int can hold. */
    long contentLength() {
        return Math.max(contentLength, 0);
    }
}
