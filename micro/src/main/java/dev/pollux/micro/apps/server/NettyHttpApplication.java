// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.FlushingHandler;
import dev.pollux.micro.harness.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;

/** Netty's HTTP codec on one of its transports, with its default number of threads. Its example has one answer only. */
final class NettyHttpApplication implements Application {
    @Override
    public void start(int port) {
        ByteBuf hello = Unpooled.unreleasableBuffer(
                Unpooled.directBuffer().writeBytes(Hello.bytes()).asReadOnly());
        Transport.valueOf(System.getProperty("dev.pollux.micro.transport", "NIO")).serve(0, port,
                () -> new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new Greeting(hello));
                    }
                });
    }

    @Override
    public String version() {
        return Frameworks.versionOfNetty();
    }

    /** Answers when the head of a request is there: requests have no bodies. */
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
                response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain")
                        .setInt(HttpHeaderNames.CONTENT_LENGTH, hello.readableBytes());
                context.write(response, context.voidPromise());
            }
            ReferenceCountUtil.release(message);
        }
    }
}
