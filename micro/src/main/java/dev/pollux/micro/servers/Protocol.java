// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What is asked for: `load.c` has the other end. */
public enum Protocol {
    /** What comes is sent back. */
    ECHO(0),

    /** A page of 1 KiB, whatever the path. */
    HTTP(1024),

    /** A page of 8 KiB. */
    HTTP8K(8 * 1024),

    /** A page of 64 KiB. */
    HTTP64K(64 * 1024),

    /** The paper's application: pages of a cache, and others that are made on demand. */
    MIX(0);

    /** What a thread reads at once. */
    public static final int BUFFER = 16 * 1024;

    /** Bytes of a page. */
    final int body;

    Protocol(int body) {
        this.body = body;
    }

    /** As the command line, the table and the files of figures name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The reply to every request, outside of the heap. */
    public ByteBuffer page() {
        byte[] bytes = ("HTTP/1.1 200 OK\r\nContent-Length: " + body + "\r\n\r\n" + "x".repeat(body))
                .getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** Where the request ends that a buffer begins with; negative if it is not complete. */
    public static int endOfRequest(ByteBuffer data) {
        for (int at = data.position() + 3; at < data.limit(); at++) {
            if (data.get(at) == '\n' && data.get(at - 1) == '\r' && data.get(at - 2) == '\n'
                    && data.get(at - 3) == '\r') {
                return at + 1;
            }
        }
        return -1;
    }
}
