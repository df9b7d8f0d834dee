// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Trial;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** Reactor Netty's HTTP server. */
public final class Main implements dev.pollux.compatibility.HttpServer {
    private final LoopResources loops = LoopResources.create("reactor", 4, true);
    private DisposableServer server;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() {
        boolean isNative = false;
        server = HttpServer.create().host("127.0.0.1").port(0).runOn(loops, isNative)
                .handle((request, response) -> response.send(request.receive().aggregate().retain())).bindNow();
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public void stop() throws InterruptedException {
        server.disposeNow();
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(10)).block();
        Schedulers.shutdownNow();
        GlobalEventExecutor.INSTANCE.awaitInactivity(10, TimeUnit.SECONDS);
    }
}
