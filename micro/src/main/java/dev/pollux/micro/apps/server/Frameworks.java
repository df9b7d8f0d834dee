// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.FlushingHandler;
import dev.pollux.micro.harness.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.example.http.helloworld.HttpHelloWorldServer;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.util.Headers;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/** Servers that a few lines start. Stateless. */
final class Frameworks {
    private static final String HOST = "127.0.0.1";
    private static final String TEXT = "text/plain";

    private Frameworks() {
    }

    private static String versionOfNetty() {
        return io.netty.util.Version.identify().get("netty-transport").artifactVersion();
    }

    /** Netty's example as Netty ships it, which uses the NIO transport. */
    static Application nettyExample() {
        return Application.of(versionOfNetty(), port -> {
            System.setProperty("port", Integer.toString(port));
            HttpHelloWorldServer.main(new String[0]);
        });
    }

    /** Netty's HTTP codec on one of its transports, with its default number of threads. The example has one answer. */
    static Application netty() {
        ByteBuf hello = Unpooled.unreleasableBuffer(
                Unpooled.directBuffer().writeBytes(Application.body()).asReadOnly());
        return Application.of(versionOfNetty(), port -> Transport.valueOf(System.getProperty(
                "pollux.micro.transport", "NIO")).serve(0, port, () -> new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new Greeting(hello));
                    }
                }));
    }

    /** Netty's: answers when the head of a request is there, since requests have no bodies. */
    private static final class Greeting extends FlushingHandler {
        private final ByteBuf hello;

        Greeting(ByteBuf hello) {
            this.hello = hello;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof HttpRequest) {
                DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
                        HttpResponseStatus.OK, hello.duplicate());
                response.headers().set(HttpHeaderNames.CONTENT_TYPE, TEXT)
                        .setInt(HttpHeaderNames.CONTENT_LENGTH, hello.readableBytes());
                context.write(response, context.voidPromise());
            }
            ReferenceCountUtil.release(message);
        }
    }

    /** Undertow; the handler runs in the threads that select. */
    static Application undertow() {
        return Application.of(io.undertow.Version.getVersionString(), port -> Undertow.builder()
                .addHttpListener(port, HOST)
                .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, Application.PATIENCE_MILLIS)
                .setHandler(exchange -> {
                    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, TEXT);
                    exchange.getResponseSender().send(Application.BODY);
                }).build().start());
    }

    /** Vert.x's HTTP server on its default transport, which is NIO; one event loop serves it. */
    static Application vertx() {
        return Application.of(Vertx.class.getPackage().getImplementationVersion(), port -> Vertx.vertx()
                .createHttpServer().requestHandler(request -> request.response().putHeader("content-type", TEXT)
                        .end(Buffer.buffer(Application.BODY)))
                .listen(port, HOST).toCompletionStage().toCompletableFuture().get());
    }

    /** Tomcat with its default connector, which is the NIO one, and one servlet. */
    static Application tomcat() {
        return Application.of(ServerInfo.getServerNumber(), port -> {
            Tomcat tomcat = new Tomcat();
            Connector connector = new Connector();
            connector.setPort(port);
            connector.setProperty("address", HOST);
            // Else every connection ends after 100 requests.
            connector.setProperty("maxKeepAliveRequests", "-1");
            connector.setProperty("keepAliveTimeout", Integer.toString(Application.PATIENCE_MILLIS));
            tomcat.setConnector(connector);
            Tomcat.addServlet(tomcat.addContext("", null), "greeting", new Servlet()).addMapping("/");
            tomcat.start();
        });
    }

    /** Stateless. */
    private static final class Servlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private static final byte[] HELLO = Application.body();

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType(TEXT);
            response.setContentLength(HELLO.length);
            response.getOutputStream().write(HELLO);
        }
    }

    /** Jetty without servlets, whose handler declares whether it may block, as Jetty supposes. It does not. */
    static Application jetty(InvocationType type) {
        ByteBuffer hello = ByteBuffer.wrap(Application.body()).asReadOnlyBuffer();
        Handler handler = new Handler.Abstract(type) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, TEXT);
                response.write(true, hello.slice(), callback);
                return true;
            }
        };
        return Application.of(Server.getVersion(), port -> {
            Server server = new Server();
            ServerConnector connector = new ServerConnector(server);
            connector.setHost(HOST);
            connector.setPort(port);
            connector.setIdleTimeout(Application.PATIENCE_MILLIS);
            server.addConnector(connector);
            server.setHandler(handler);
            server.start();
        });
    }
}
