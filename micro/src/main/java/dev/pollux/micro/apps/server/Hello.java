// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.nio.charset.StandardCharsets;

/**
 * What every server answers. Netty's example decides, or the property {@code pollux.micro.body}, which is a number
 * of bytes.
 */
public final class Hello {
    /** The body of each response. */
    public static final String BODY = body(Integer.getInteger("pollux.micro.body"));

    private Hello() {
    }

    private static String body(Integer length) {
        return length == null ? "Hello World" : "x".repeat(length);
    }

    static byte[] bytes() {
        return BODY.getBytes(StandardCharsets.US_ASCII);
    }
}
