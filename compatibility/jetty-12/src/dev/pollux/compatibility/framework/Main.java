// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty 12 without servlets. */
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
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                Content.copy(request, response, callback);
                return true;
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
