// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** Vert.x's HTTP server on its default transport, which is NIO; one event loop serves it. */
final class VertxApplication implements Application {
    @Override
    public void start(int port) throws Exception {
        Vertx.vertx().createHttpServer()
                .requestHandler(request -> request.response().putHeader("content-type", "text/plain")
                        .end(Buffer.buffer(Hello.BODY)))
                .listen(port, "127.0.0.1").toCompletionStage().toCompletableFuture().get();
    }

    @Override
    public String version() {
        return Vertx.class.getPackage().getImplementationVersion();
    }
}
