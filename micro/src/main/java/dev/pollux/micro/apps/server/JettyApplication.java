// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty without servlets. */
final class JettyApplication implements Application {
    @Override
    public void start(int port) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        server.setHandler(new Greeting());
        server.start();
    }

    @Override
    public String version() {
        return Server.getVersion();
    }

    /** Does not declare that it never blocks, so Jetty supposes it may. Each response gets a view of the buffer. */
    private static final class Greeting extends Handler.Abstract {
        private final ByteBuffer hello = ByteBuffer.wrap(Hello.bytes()).asReadOnlyBuffer();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
            response.write(true, hello.slice(), callback);
            return true;
        }
    }
}
