// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;

/**
 * The head of an HTTP/1.1 request (RFC 9112), read where it lies, as far as a cache must understand it. Reads lines and
 * leaves what the fields mean to {@link RequestFields}. For one thread, and used again for each request; allocates
 * nothing.
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

        /** Well-formed, but for somebody else. */
        OTHER
    }

    private static final byte[] GET = {'G', 'E', 'T'};
    private static final byte[] HEAD = {'H', 'E', 'A', 'D'};
    private static final byte[] VERSION = {'H', 'T', 'T', 'P', '/', '1', '.'};

    final RequestFields fields = new RequestFields();
    private ByteBuffer data;
    private int limit;
    /** Where the method begins. */
    int start;
    int methodEnd;
    int pathEnd;
    /** Where the head ends. */
    int end;
    boolean isHead;
    private boolean isOld;

    /** Reads the head that a buffer begins with at its position, which it leaves as it is. */
    Outcome parse(ByteBuffer bytes) {
        data = bytes;
        limit = Math.min(bytes.limit(), bytes.position() + LONGEST);
        start = bytes.position();
        while (start + 1 < limit && data.get(start) == '\r' && data.get(start + 1) == '\n') {
            start += 2; // RFC 9112, 2.2: empty lines before a request are ignored
        }
        Outcome line = requestLine();
        Outcome outcome = line == null ? fieldLines() : line;
        return outcome == Outcome.INCOMPLETE && bytes.remaining() >= LONGEST ? Outcome.MALFORMED : outcome;
    }

    /** Null if it is well-formed. */
    private Outcome requestLine() {
        int at = start;
        while (at < limit && Characters.isToken(data.get(at))) {
            at++;
        }
        methodEnd = at;
        if (at == limit) {
            return Outcome.INCOMPLETE;
        }
        if (at == start || data.get(at) != ' ') {
            // Perhaps the first half of an empty line.
            return at == start && data.get(at) == '\r' && at + 1 == limit ? Outcome.INCOMPLETE : Outcome.MALFORMED;
        }
        int target = ++at;
        while (at < limit && Characters.isVisible(data.get(at))) {
            at++;
        }
        pathEnd = at;
        if (at == limit) {
            return Outcome.INCOMPLETE;
        }
        return at == target || data.get(at) != ' ' ? Outcome.MALFORMED : version(at + 1);
    }

    private Outcome version(int from) {
        for (int i = 0; i < VERSION.length; i++) {
            if (from + i == limit) {
                return Outcome.INCOMPLETE;
            }
            if (data.get(from + i) != VERSION[i]) {
                return Outcome.MALFORMED;
            }
        }
        int at = from + VERSION.length;
        if (at < limit && !Characters.isDigit(data.get(at))) {
            return Outcome.MALFORMED;
        }
        isOld = at < limit && data.get(at) == '0';
        end = at + 1;
        return endOfLine(at + 1);
    }

    /** Looks for CR LF at a place, and sets the end behind it. Null if they are there. */
    private Outcome endOfLine(int at) {
        if (at < limit && data.get(at) != '\r' || at + 1 < limit && data.get(at + 1) != '\n') {
            return Outcome.MALFORMED;
        }
        end = at + 2;
        return at + 1 < limit ? null : Outcome.INCOMPLETE;
    }

    private Outcome fieldLines() {
        fields.begin(data);
        while (true) {
            int line = end;
            if (line == limit) {
                return Outcome.INCOMPLETE;
            }
            if (data.get(line) == '\r') {
                Outcome last = endOfLine(line);
                return last == null ? judge() : last;
            }
            Outcome outcome = field(line);
            if (outcome != null) {
                return outcome;
            }
        }
    }

    private Outcome field(int line) {
        int at = line;
        while (at < limit && Characters.isToken(data.get(at))) {
            at++;
        }
        if (at == limit) {
            return Outcome.INCOMPLETE;
        }
        if (at == line || data.get(at) != ':') {
            return Outcome.MALFORMED; // a folded line is, too
        }
        int nameEnd = at++;
        while (at < limit && Characters.isInValue(data.get(at))) {
            at++;
        }
        if (at == limit) {
            return Outcome.INCOMPLETE;
        }
        Outcome outcome = endOfLine(at);
        return outcome != null ? outcome : fields.add(line, nameEnd, at) ? null : Outcome.MALFORMED;
    }

    private Outcome judge() {
        if (!fields.areConsistent(isOld)) {
            return Outcome.MALFORMED;
        }
        isHead = Characters.equal(data, start, methodEnd, HEAD);
        boolean isPage = (isHead || Characters.equal(data, start, methodEnd, GET)) && fields.permitCache();
        return isPage && isPath() ? Outcome.PAGE : Outcome.OTHER;
    }

    /** Not an absolute address, nor one with a query or with what must be decoded. */
    private boolean isPath() {
        if (data.get(pathStart()) != '/') {
            return false;
        }
        for (int i = pathStart(); i < pathEnd; i++) {
            byte c = data.get(i);
            if (c == '?' || c == '#' || c == '%') {
                return false;
            }
        }
        return true;
    }

    /** Where the request's target begins. */
    int pathStart() {
        return methodEnd + 1;
    }

    /** Whether the connection is to be closed after the reply. Connections of HTTP/1.0 always are. */
    boolean closes() {
        return isOld || fields.closes;
    }
}
