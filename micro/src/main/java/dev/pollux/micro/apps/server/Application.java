// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.nio.charset.StandardCharsets;

/** A server as its users would embed it: with its defaults, one handler that answers {@link #BODY}. */
public interface Application {
    /** The body of each response: that of Netty's example, or as many bytes as {@code pollux.micro.body} says. */
    String BODY = Integer.getInteger("pollux.micro.body") == null ? "Hello World"
            : "x".repeat(Integer.getInteger("pollux.micro.body"));

    /** Milliseconds for which a connection may be idle: the other side may be measured meanwhile. */
    int PATIENCE_MILLIS = 300_000;

    /** Starts it on that port of the loopback address, or blocks in it for ever. */
    void start(int port) throws Exception;

    /** {@return the bytes of the body} */
    static byte[] body() {
        return BODY.getBytes(StandardCharsets.US_ASCII);
    }

    /** The version of the server; of what comes with the JDK, the JDK's. */
    default String version() {
        return Runtime.version().toString().replaceFirst("\\+.*", "");
    }

    /** One that only has to be started. */
    static Application of(String version, Application starter) {
        /** Its version is told by the caller. */
        record Known(String version, Application starter) implements Application {
            @Override
            public void start(int port) throws Exception {
                starter.start(port);
            }
        }
        return new Known(version, starter);
    }
}
