// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Trial;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.concurrent.TimeUnit;

/** Vert.x's HTTP server. */
public final class Main implements dev.pollux.compatibility.HttpServer {
    private final Vertx vertx = Vertx.vertx();
    private HttpServer server;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws Exception {
        server = vertx.createHttpServer()
                .requestHandler(request -> request.bodyHandler(body -> request.response().end(body)))
                .listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Override
    public int port() {
        return server.actualPort();
    }

    @Override
    public void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
