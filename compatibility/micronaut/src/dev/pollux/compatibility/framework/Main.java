// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.runtime.server.EmbeddedServer;
import java.util.Map;

/** Micronaut with its HTTP server, which is Netty's. */
public final class Main implements HttpServer {
    private EmbeddedServer server;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() {
        server = ApplicationContext.run(EmbeddedServer.class,
                Map.of("micronaut.server.host", "127.0.0.1", "micronaut.server.port", -1));
    }

    @Override
    public int port() {
        return server.getPort();
    }

    @Override
    public void stop() {
        server.getApplicationContext().close();
    }

    /** Stateless. */
    @Controller("/echo")
    public static class Echo {
        @Post(consumes = MediaType.APPLICATION_OCTET_STREAM, produces = MediaType.APPLICATION_OCTET_STREAM)
        byte[] echo(@Body byte[] body) {
            return body;
        }
    }
}
