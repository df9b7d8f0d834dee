// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Netty's NIO transport with its codecs for HTTP. */
public final class Main implements HttpServer {
    private static final int MAX_BODY = 1 << 22;

    @SuppressWarnings("deprecation") // in 4.2, where programs written for 4.1 use it all the same
    private final EventLoopGroup group = new NioEventLoopGroup(4);
    private Channel server;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws Exception {
        server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(MAX_BODY),
                                new Echo());
                    }
                }).bind(InetAddress.getByName("127.0.0.1"), 0).sync().channel();
    }

    @Override
    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    @Override
    public void stop() throws Exception {
        server.close().sync();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        GlobalEventExecutor.INSTANCE.awaitInactivity(10, TimeUnit.SECONDS);
    }

    /** Answers with the request's own buffer. */
    private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                    request.content().retain());
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, request.content().readableBytes());
            context.writeAndFlush(response);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // a client that resets
        }
    }
}
