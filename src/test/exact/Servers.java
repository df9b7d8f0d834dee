// SPDX-License-Identifier: Apache-2.0
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.undertow.Undertow;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.xnio.OptionMap;
import org.xnio.Options;

/**
 * One server, by its name, on two ports: the second one's sockets have small send buffers. Ends when its input does,
 * and says before what its batches did.
 */
public final class Servers {
    private static final int SMALL = 4096;
    private static final int THREADS = 1; // so that its turns have several writes

    private Servers() {
    }

    public static void main(String[] arguments) throws Exception {
        int[] ports = {Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2])};
        switch (arguments[0]) {
            case "raw" -> RawServer.start(false, ports, new int[] {0, SMALL});
            case "kafka's way" -> RawServer.start(true, ports, new int[] {0, SMALL});
            case "netty" -> netty(ports);
            case "undertow" -> undertow(ports);
            case "jetty" -> jetty(ports);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream()); // until its end
        System.out.println(sum("DeferredWrites") + " deferred writes, " + sum("DeferredRests") + " rests");
        System.exit(0);
    }

    /** {@return a sum over all loops, by the name of its attribute; 0 without Pollux} */
    private static long sum(String attribute) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        long sum = 0;
        for (ObjectName name : server.queryNames(new ObjectName("dev.pollux:type=Loops,*"), null)) {
            sum += ((Number) server.getAttribute(name, attribute)).longValue();
        }
        return sum;
    }

    private static void netty(int[] ports) throws InterruptedException {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory());
        for (int port : ports) {
            ServerBootstrap bootstrap = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(1),
                                    new Replying());
                        }
                    });
            if (port == ports[1]) {
                bootstrap.childOption(ChannelOption.SO_SNDBUF, SMALL);
            }
            bootstrap.bind(Exchange.HOST, port).sync();
        }
    }

    /** Netty's. */
    private static final class Replying extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            byte[] body = Exchange.body(request.uri());
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
                    HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
            response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
            context.writeAndFlush(response);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // the client has gone
        }
    }

    /** The handler runs in the threads that select. */
    private static void undertow(int[] ports) {
        Undertow.builder().setIoThreads(THREADS).addHttpListener(ports[0], Exchange.HOST)
                .addListener(new Undertow.ListenerBuilder().setType(Undertow.ListenerType.HTTP).setPort(ports[1])
                        .setHost(Exchange.HOST).setOverrideSocketOptions(OptionMap.create(Options.SEND_BUFFER, SMALL)))
                .setHandler(exchange -> exchange.getResponseSender().send(
                        ByteBuffer.wrap(Exchange.body(exchange.getRequestPath()))))
                .build().start();
    }

    private static void jetty(int[] ports) throws Exception {
        Server server = new Server();
        for (int port : ports) {
            ServerConnector connector = new ServerConnector(server, 1, 1);
            connector.setHost(Exchange.HOST);
            connector.setPort(port);
            connector.setAcceptedSendBufferSize(port == ports[1] ? SMALL : -1);
            server.addConnector(connector);
        }
        server.setHandler(new Handler.Abstract(InvocationType.NON_BLOCKING) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                byte[] body = Exchange.body(request.getHttpURI().getPath());
                response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
                response.write(true, ByteBuffer.wrap(body), callback);
                return true;
            }
        });
        server.start();
    }
}
