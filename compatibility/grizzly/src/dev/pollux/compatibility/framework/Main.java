// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Trial;
import java.util.concurrent.TimeUnit;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;

/** Grizzly's HTTP server. */
public final class Main implements dev.pollux.compatibility.HttpServer {
    private final HttpServer server = new HttpServer();
    private final NetworkListener listener = new NetworkListener("echo", "127.0.0.1", 0);

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws Exception {
        // Else every connection ends after 256 requests.
        listener.getKeepAlive().setMaxRequestsCount(-1);
        server.addListener(listener);
        server.getServerConfiguration().addHttpHandler(new HttpHandler() {
            @Override
            public void service(Request request, Response response) throws Exception {
                byte[] body = request.getInputStream().readAllBytes();
                response.setContentLength(body.length);
                response.getOutputStream().write(body);
            }
        }, "/echo");
        server.start();
    }

    @Override
    public int port() {
        return listener.getPort();
    }

    @Override
    public void stop() throws Exception {
        server.shutdown(10, TimeUnit.SECONDS).get();
        // After its shutdown those that it has used for blocking writes are still open.
        listener.getTransport().getTemporarySelectorIO().getSelectorPool().close();
    }
}
