// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/** Jetty without servlets. */
final class JettyApplication implements Application {
    private final Handler handler;

    private JettyApplication(Handler handler) {
        this.handler = handler;
    }

    /** Its handler does not declare that it never blocks, so Jetty supposes it may. It does not. */
    static Application withDefaults() {
        return new JettyApplication(new Greeting(InvocationType.BLOCKING));
    }

    /** Its handler declares that it never blocks. */
    static Application neverBlocking() {
        return new JettyApplication(new Greeting(InvocationType.NON_BLOCKING));
    }

    /** Its handler may block while it writes, as servlets do. */
    static Application blocking() {
        return new JettyApplication(new Stream());
    }

    @Override
    public void start(int port) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setIdleTimeout(PATIENCE_MILLIS);
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
    }

    @Override
    public String version() {
        return Server.getVersion();
    }

    /** Each response gets a view of the buffer. */
    private static final class Greeting extends Handler.Abstract {
        private final ByteBuffer hello = ByteBuffer.wrap(Hello.bytes()).asReadOnlyBuffer();

        Greeting(InvocationType type) {
            super(type);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
            response.write(true, hello.slice(), callback);
            return true;
        }
    }

    /** Writes to a stream. */
    private static final class Stream extends Handler.Abstract {
        private final byte[] hello = Hello.bytes();

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws IOException {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, hello.length);
            try (OutputStream out = Content.Sink.asOutputStream(response)) {
                out.write(hello);
            }
            callback.succeeded();
            return true;
        }
    }
}
