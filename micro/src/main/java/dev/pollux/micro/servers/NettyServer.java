// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import dev.pollux.micro.harness.FlushingHandler;
import dev.pollux.micro.harness.Tls;
import dev.pollux.micro.harness.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** Netty. The handler is as lean as the other servers' code: no codec, and no copies. */
final class NettyServer implements Application {
    private final Transport transport;
    private final Supplier<ChannelHandler> handlers;

    /**
     * A server on a transport.
     *
     * @param handlers makes what each connection's pipeline begins with, which may add more
     */
    NettyServer(Transport transport, Supplier<ChannelHandler> handlers) {
        this.transport = transport;
        this.handlers = handlers;
    }

    /** One that answers every request of a protocol. */
    static Application of(Transport transport, Protocol protocol) throws IOException {
        ByteBuf page = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(protocol.page()).asReadOnly());
        SSLContext tls = Tls.context();
        return new NettyServer(transport, () -> {
            Echo handler = protocol == Protocol.ECHO ? new Echo() : new Pages(page);
            return tls == null ? handler : behind(tls, handler);
        });
    }

    /** Puts TLS before a handler, by the JDK's engine. */
    private static ChannelHandler behind(SSLContext tls, ChannelHandler handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                SSLEngine engine = tls.createSSLEngine();
                engine.setUseClientMode(false);
                channel.pipeline().addLast(new SslHandler(engine), handler);
            }
        };
    }

    @Override
    public void start(int port) {
        transport.serve(Way.LOOPS, port, handlers);
    }

    @Override
    public String version() {
        return transport.channel().getSimpleName();
    }

    /** Writes what was read. */
    private static class Echo extends FlushingHandler {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }
    }

    /** Answers each request with the page. */
    private static final class Pages extends Echo {
        private final ByteBuf page;

        /** The beginning of a request; null unless it came in pieces. */
        private ByteBuf unfinished;

        Pages(ByteBuf page) {
            this.page = page;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            if (unfinished != null) {
                data = Unpooled.wrappedBuffer(unfinished, data);
                unfinished = null;
            }
            for (int length; (length = lengthOfRequest(data)) > 0; data.skipBytes(length)) {
                context.write(page.duplicate(), context.voidPromise());
            }
            if (data.isReadable()) {
                unfinished = data;
            } else {
                data.release();
            }
        }

        private static int lengthOfRequest(ByteBuf data) {
            for (int at = data.readerIndex() + 3; at < data.writerIndex(); at++) {
                if (data.getByte(at) == '\n' && data.getByte(at - 1) == '\r' && data.getByte(at - 2) == '\n'
                        && data.getByte(at - 3) == '\r') {
                    return at + 1 - data.readerIndex();
                }
            }
            return 0;
        }
    }
}
