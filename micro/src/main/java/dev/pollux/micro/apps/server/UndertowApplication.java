// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.Version;
import io.undertow.util.Headers;

/** Undertow; the handler runs in the threads that select. */
final class UndertowApplication implements Application {
    @Override
    public void start(int port) {
        Undertow.builder().addHttpListener(port, "127.0.0.1")
                .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, PATIENCE_MILLIS).setHandler(exchange -> {
                    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
                    exchange.getResponseSender().send(Hello.BODY);
                }).build().start();
    }

    @Override
    public String version() {
        return Version.getVersionString();
    }
}
