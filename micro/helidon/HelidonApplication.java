// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import io.helidon.webserver.WebServer;

/** Helidon 4, which runs each connection in a virtual thread. Compiled by run.sh, since it needs Java 21. */
final class HelidonApplication implements Application {
    @Override
    public void start(int port) {
        byte[] hello = Application.body();
        WebServer.builder().host("127.0.0.1").port(port)
                .routing(routes -> routes.any((request, response) -> response.send(hello))).build().start();
    }

    @Override
    public String version() {
        return WebServer.class.getPackage().getImplementationVersion();
    }
}
