// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

/** A server as its users would embed it: with its defaults, one handler that answers {@link Hello#BODY}. */
public interface Application {
    /** Milliseconds for which a connection may be idle: the other side may be measured meanwhile. */
    int PATIENCE_MILLIS = 300_000;

    /** Starts it on that port of the loopback address, or blocks in it for ever. */
    void start(int port) throws Exception;

    /** The version of the server. */
    String version();
}
