// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** Jetty 11 with a handler of its own. */
public final class Main implements HttpServer {
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
                    throws IOException {
                byte[] body = request.getInputStream().readAllBytes();
                response.setContentLength(body.length);
                response.getOutputStream().write(body);
                base.setHandled(true);
            }
        });
        server.start();
    }

    @Override
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }
}
