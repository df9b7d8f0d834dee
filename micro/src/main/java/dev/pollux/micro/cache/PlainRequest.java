// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.micro.servers.Protocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/**
 * Finds the plain requests of HTTP/1.1 where they lie: GET of a path, with fields that no page depends on. All else is
 * for a server that knows all of HTTP. For one thread, and used again for each request.
 */
final class PlainRequest {
    /** More bytes are needed. */
    static final int INCOMPLETE = -1;
    /** What the bytes begin with is another request, or none. */
    static final int OTHER = -2;
    /** A longer head is not plain. */
    static final int LONGEST = 8192;

    private static final byte[] GET = ascii("GET ");
    private static final byte[] VERSION = ascii(" HTTP/1.1\r\n");
    /** In lower case; there must be one Host. */
    private static final byte[] HOST = ascii("host:");
    private static final byte[][] OTHERS = Stream.of("user-agent:", "accept:", "accept-language:", "accept-encoding:")
            .map(PlainRequest::ascii).toArray(byte[][]::new);

    private ByteBuffer data;
    private int pathStart;
    private int pathEnd;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Where the plain request ends that a buffer begins with at its position; or one of the constants. */
    int find(ByteBuffer bytes) {
        data = bytes;
        int end = Protocol.endOfRequest(bytes);
        if (end < 0 && bytes.remaining() < LONGEST) {
            return INCOMPLETE;
        }
        return end >= 0 && end - bytes.position() <= LONGEST && isPlain(end) ? end : OTHER;
    }

    private boolean isPlain(int end) {
        pathStart = data.position() + GET.length;
        if (!isAt(data.position(), GET, (byte) 0) || data.get(pathStart) != '/') {
            return false;
        }
        pathEnd = pathStart;
        while (data.get(pathEnd) > ' ' && data.get(pathEnd) != 127) {
            pathEnd++;
        }
        if (!isAt(pathEnd, VERSION, (byte) 0)) {
            return false;
        }
        int hosts = 0;
        int line = pathEnd + VERSION.length;
        while (line >= 0 && line < end - 2) {
            boolean isHost = isField(line, HOST);
            if (!isHost && !isOther(line)) {
                return false;
            }
            hosts += isHost ? 1 : 0;
            line = nextLine(line);
        }
        return line >= 0 && hosts == 1;
    }

    /** The bit makes capital letters small ones. */
    private boolean isField(int at, byte[] name) {
        return isAt(at, name, (byte) 0x20);
    }

    private boolean isOther(int at) {
        for (byte[] name : OTHERS) {
            if (isField(at, name)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAt(int at, byte[] text, byte set) {
        if (at + text.length > data.limit()) {
            return false;
        }
        for (int i = 0; i < text.length; i++) {
            if ((data.get(at + i) | set) != text[i]) {
                return false;
            }
        }
        return true;
    }

    /** Where the line behind one begins; negative if that has bytes that no field has. */
    private int nextLine(int line) {
        int at = line;
        while (data.get(at) >= ' ' && data.get(at) != 127 || data.get(at) == '\t') {
            at++;
        }
        return data.get(at) == '\r' && data.get(at + 1) == '\n' ? at + 2 : -1;
    }

    /** What the plain request asks for; allocates. */
    String path() {
        byte[] bytes = new byte[pathEnd - pathStart];
        data.get(pathStart, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
