// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.nio.charset.StandardCharsets;

/** What every server answers. Netty's example decides. */
public final class Hello {
    /** The body of each response. */
    public static final String BODY = "Hello World";

    private Hello() {
    }

    static byte[] bytes() {
        return BODY.getBytes(StandardCharsets.US_ASCII);
    }
}
