// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;

/** One way to serve all connections of a listener. */
interface Server {
    /** Serves for ever; called once, by a thread of its own. */
    void serve(ServerSocketChannel listener) throws IOException;

    /** What it really runs on: the class of its threads or selector, or the poller's mechanism. */
    String engine();
}
