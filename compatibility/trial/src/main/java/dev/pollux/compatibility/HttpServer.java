// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

/** An HTTP server on the loopback address that answers every POST with the body that it was sent. */
public interface HttpServer extends Framework {
    /** {@return its port} */
    int port();

    @Override
    default long drive() throws Exception {
        return Load.on(port(), HttpExchange::new);
    }
}
