// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/**
 * The head of an HTTP/1.1 request (RFC 9112), read where it lies, line by line, as far as a cache must understand it.
 * Of fields that it does not know, what they say of a page does not matter: its pages are the same for all peers. For
 * one thread, and used again for each request; allocates nothing.
 */
final class RequestHead {
    /** A longer one is refused. */
    static final int LONGEST = 8192;

    /** What bytes turned out to be. */
    enum Outcome {
        /** The beginning of a head: more is needed. */
        INCOMPLETE,
        /** Not HTTP/1.0 or 1.1, or not safely so. */
        MALFORMED,
        /** GET or HEAD of a path, without a body: what a cache may answer. */
        PAGE,
        /** Well-formed, but not for the cache. */
        OTHER
    }

    private static final byte[] GET = ascii("GET");
    private static final byte[] HEAD = ascii("HEAD");
    private static final byte[] VERSION = ascii("HTTP/1.");
    private static final byte[] CLOSE = ascii("close");
    /** RFC 9110, 5.6.2: what names of methods and fields consist of. */
    private static final boolean[] TOKEN = new boolean[128];

    private static final int HOST = 0;
    private static final int CONNECTION = 1;
    private static final int CONTENT_LENGTH = 2;
    private static final int TRANSFER_ENCODING = 3;
    private static final int IF_NONE_MATCH = 4;
    private static final int EXPECT = 5;
    /** The fields above by number; from EXPECT on they ask for what a cache of whole pages can't do. */
    private static final byte[][] FIELDS = Stream.of("host", "connection", "content-length", "transfer-encoding",
            "if-none-match", "expect", "upgrade", "range", "if-range", "if-match", "if-modified-since",
            "if-unmodified-since", "authorization").map(RequestHead::ascii).toArray(byte[][]::new);

    static {
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".chars()
                .forEach(c -> TOKEN[c] = true);
    }

    private ByteBuffer data;

    /** Where the method begins, where it ends, where the request's target ends, and where the head ends. */
    int start;
    int methodEnd;
    int pathEnd;
    int end;

    boolean isHead;
    private boolean isOld;
    private int hosts;
    private boolean hasClose;

    /** Where the value of If-None-Match begins; negative if there is none. */
    int matchStart;
    int matchEnd;

    private long contentLength;

    /** Whether the body comes in an encoding that says its length. */
    boolean isEncoded;

    /** Whether the sender of a body waits until it is told to go on. */
    boolean expects;
    private boolean isForOthers;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads the head that a buffer begins with at its position, which it leaves as it is. */
    Outcome parse(ByteBuffer bytes) {
        begin(bytes);
        int limit = Math.min(bytes.limit(), bytes.position() + LONGEST);
        while (start + 1 < limit && data.get(start) == '\r' && data.get(start + 1) == '\n') {
            start += 2; // RFC 9112, 2.2: empty lines before a request are ignored
        }
        if (start < limit && !isToken(data.get(start)) && !(data.get(start) == '\r' && start + 1 == limit)) {
            return Outcome.MALFORMED;
        }
        int line = start;
        for (int at = start; at < limit; at++) {
            if (data.get(at) == '\n') {
                int to = at - 1;
                if (to < line || data.get(to) != '\r') {
                    return Outcome.MALFORMED;
                }
                if (to == line) {
                    end = at + 1;
                    return judge();
                }
                if (!(line == start ? requestLine(to) : field(line, to))) {
                    return Outcome.MALFORMED;
                }
                line = at + 1;
            }
        }
        return bytes.remaining() >= LONGEST ? Outcome.MALFORMED : Outcome.INCOMPLETE;
    }

    private void begin(ByteBuffer bytes) {
        data = bytes;
        start = bytes.position();
        end = start;
        hosts = 0;
        hasClose = false;
        matchStart = -1;
        matchEnd = -1;
        contentLength = -1;
        isEncoded = false;
        expects = false;
        isForOthers = false;
    }

    private boolean requestLine(int to) {
        methodEnd = endOfToken(start, to);
        pathEnd = methodEnd + 1;
        while (pathEnd < to && data.get(pathEnd) > ' ' && data.get(pathEnd) < 127) {
            pathEnd++;
        }
        int minor = pathEnd + 1 + VERSION.length;
        isOld = minor < to && data.get(minor) == '0';
        return methodEnd < to && data.get(methodEnd) == ' ' && pathEnd > methodEnd + 1 && data.get(pathEnd) == ' '
                && minor == to - 1 && isDigit(data.get(minor)) && equal(data, pathEnd + 1, minor, VERSION);
    }

    private boolean field(int from, int to) {
        int nameEnd = endOfToken(from, to);
        if (nameEnd == from || data.get(nameEnd) != ':') {
            return false; // a folded line is malformed, too
        }
        for (int i = nameEnd + 1; i < to; i++) {
            if (!isInValue(data.get(i))) {
                return false;
            }
        }
        int value = skipBlanks(nameEnd + 1, to);
        int valueEnd = dropBlanks(value, to);
        int field = 0;
        while (field < FIELDS.length && !equalIgnoringCase(from, nameEnd, FIELDS[field])) {
            field++;
        }
        switch (field) {
            case HOST -> hosts++;
            case CONNECTION -> hasClose |= lists(value, valueEnd, CLOSE);
            case CONTENT_LENGTH -> {
                return addLength(value, valueEnd);
            }
            case TRANSFER_ENCODING -> isEncoded = true;
            case IF_NONE_MATCH -> {
                isForOthers |= matchStart >= 0; // a list in two fields
                matchStart = value;
                matchEnd = valueEnd;
            }
            default -> {
                isForOthers |= field < FIELDS.length;
                expects |= field == EXPECT;
            }
        }
        return true;
    }

    private boolean addLength(int from, int to) {
        long length = 0;
        for (int i = from; i < to; i++) {
            if (!isDigit(data.get(i)) || length > Integer.MAX_VALUE) {
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
            int begin = skipBlanks(at, comma);
            if (equalIgnoringCase(begin, dropBlanks(begin, comma), word)) {
                return true;
            }
            at = comma + 1;
        }
        return false;
    }

    private int endOfToken(int from, int to) {
        int at = from;
        while (at < to && isToken(data.get(at))) {
            at++;
        }
        return at;
    }

    private int skipBlanks(int from, int to) {
        int at = from;
        while (at < to && isBlank(data.get(at))) {
            at++;
        }
        return at;
    }

    private int dropBlanks(int from, int to) {
        int at = to;
        while (at > from && isBlank(data.get(at - 1))) {
            at--;
        }
        return at;
    }

    /** No two readers can see different requests in this head (RFC 9112, 3.2 and 6.3). */
    private Outcome judge() {
        if ((isOld ? hosts > 1 : hosts != 1) || isEncoded && (contentLength >= 0 || isOld)) {
            return Outcome.MALFORMED;
        }
        isHead = equal(data, start, methodEnd, HEAD);
        boolean isPage = (isHead || equal(data, start, methodEnd, GET)) && !isForOthers && !isEncoded
                && contentLength <= 0;
        return isPage && isPath() ? Outcome.PAGE : Outcome.OTHER;
    }

    /** Not an absolute address, nor one with a query or with what must be decoded. */
    private boolean isPath() {
        for (int i = pathStart(); i < pathEnd; i++) {
            byte c = data.get(i);
            if (c == '?' || c == '#' || c == '%') {
                return false;
            }
        }
        return data.get(pathStart()) == '/';
    }

    /** Where the request's target begins. */
    int pathStart() {
        return methodEnd + 1;
    }

    /** Whether the connection is to be closed after the reply. Connections of HTTP/1.0 always are. */
    boolean closes() {
        return isOld || hasClose;
    }

    /** The bytes of the body; at most a little more than an int can hold. */
    long contentLength() {
        return Math.max(contentLength, 0);
    }

    private static boolean isToken(byte c) {
        return c >= 0 && TOKEN[c];
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isBlank(byte c) {
        return c == ' ' || c == '\t';
    }

    /** Of a field's value: visible, a blank, or beyond ASCII. */
    private static boolean isInValue(byte c) {
        return c >= ' ' && c < 127 || c == '\t' || c < 0;
    }

    static boolean equal(ByteBuffer data, int from, int to, byte[] other) {
        int at = 0;
        while (at < other.length && from + at < to && data.get(from + at) == other[at]) {
            at++;
        }
        return at == other.length && from + at == to;
    }

    /** Whether bytes are a word, whose letters are small, in upper or lower case. */
    private boolean equalIgnoringCase(int from, int to, byte[] word) {
        boolean isEqual = to - from == word.length;
        for (int i = 0; isEqual && i < word.length; i++) {
            byte c = data.get(from + i);
            isEqual = (c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) == word[i];
        }
        return isEqual;
    }
}
