// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.Version;

/** Netty's HTTP codec on one of its transports, with its default number of threads. Its example has one answer only. */
final class NettyHttpApplication implements Application {
    private static final int BACKLOG = 1024;

    @Override
    public void start(int port) throws InterruptedException {
        ByteBuf hello = Unpooled.unreleasableBuffer(
                Unpooled.directBuffer().writeBytes(Hello.bytes()).asReadOnly());
        Transport transport = Transport.valueOf(System.getProperty("dev.pollux.micro.transport", "NIO"));
        new ServerBootstrap().group(transport.loops(0)).channel(transport.channel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        ChannelPipeline pipeline = channel.pipeline();
                        pipeline.addLast(new HttpServerCodec(), new Greeting(hello));
                    }
                }).bind("127.0.0.1", port).sync();
    }

    @Override
    public String version() {
        return Version.identify().get("netty-transport").artifactVersion();
    }

    /** Answers when the head of a request is there: requests have no bodies. */
    private static final class Greeting extends SimpleChannelInboundHandler<HttpRequest> {
        private final ByteBuf hello;

        Greeting(ByteBuf hello) {
            this.hello = hello;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpRequest request) {
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
                    HttpResponseStatus.OK, hello.duplicate());
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain")
                    .setInt(HttpHeaderNames.CONTENT_LENGTH, hello.readableBytes());
            context.write(response, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        /** A reset: peers close that way. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
