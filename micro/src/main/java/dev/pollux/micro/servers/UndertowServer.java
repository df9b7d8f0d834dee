// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.Version;
import java.nio.ByteBuffer;

/** Undertow, whose handler runs in the threads that select, and whose replies have no more fields than the others'. */
final class UndertowServer {
    private UndertowServer() {
    }

    static Application of(Protocol protocol) {
        ByteBuffer page = protocol.page();
        ByteBuffer body = page.position(page.limit() - protocol.body).slice();
        return Application.of(Version.getVersionString(), port -> Undertow.builder().addHttpListener(port, "127.0.0.1")
                .setIoThreads(Way.LOOPS)
                .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, Application.PATIENCE_MILLIS)
                .setServerOption(UndertowOptions.ALWAYS_SET_DATE, false)
                .setServerOption(UndertowOptions.ALWAYS_SET_KEEP_ALIVE, false)
                .setHandler(exchange -> exchange.getResponseSender().send(body.duplicate())).build().start());
    }
}
