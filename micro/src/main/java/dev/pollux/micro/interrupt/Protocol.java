// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What is asked for: `load.c` has the other end. */
enum Protocol {
    /** What comes is sent back. */
    ECHO,

    /** A page of 1 KiB, whatever the path. */
    HTTP,

    /** The paper's application: pages of a cache, and others that are made on demand. */
    MIX;

    /** What a thread reads at once. */
    static final int BUFFER = 16 * 1024;

    private static final int BODY = 1024;

    /** As the command line, the table and the files of figures name it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The reply to every request of {@link #HTTP}, outside of the heap. */
    static ByteBuffer page() {
        byte[] bytes = ("HTTP/1.1 200 OK\r\nContent-Length: " + BODY + "\r\n\r\n" + "x".repeat(BODY))
                .getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** Where the request ends that a buffer begins with; negative if it is not complete. */
    static int endOfRequest(ByteBuffer data) {
        for (int at = data.position() + 3; at < data.limit(); at++) {
            if (data.get(at) == '\n' && data.get(at - 1) == '\r' && data.get(at - 2) == '\n'
                    && data.get(at - 3) == '\r') {
                return at + 1;
            }
        }
        return -1;
    }
}
