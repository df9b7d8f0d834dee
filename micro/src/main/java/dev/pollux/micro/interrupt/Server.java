// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import java.io.IOException;

/** One way to serve connections, in a virtual machine of its own. */
interface Server {
    /** Listens at a free port of the loopback address, which it returns, and serves for ever. */
    int start() throws IOException;

    /** What it really runs on. */
    String engine();
}
