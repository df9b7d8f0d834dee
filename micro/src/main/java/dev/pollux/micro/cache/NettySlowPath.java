// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.server.SlowPath;
import dev.pollux.server.StreamServer;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Netty, unmodified, takes a connection with its unread bytes. If they begin with a plain request, it answers that and
 * gives the connection back, else it keeps it. Safe for use by many threads.
 */
final class NettySlowPath implements SlowPath {
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Function<String, Page> site;
    private final Executor executor;

    /** Set before the first request, since the server needs a slow path to be started. */
    private volatile StreamServer server;

    NettySlowPath(Function<String, Page> site, Executor executor) {
        this.site = site;
        this.executor = executor;
    }

    /** Connections are given back to that server. */
    void giveBackTo(StreamServer one) {
        server = one;
    }

    @Override
    public void handle(SocketChannel channel, ByteBuffer unread) {
        NioSocketChannel served = new NioSocketChannel(channel);
        int end = new PlainRequest().find(unread);
        boolean isPlain = end >= 0;
        int length = isPlain ? end - unread.position() : unread.remaining();
        ByteBuffer taken = unread.slice(unread.position(), length);
        ByteBuffer rest = unread.slice(unread.position() + length, unread.remaining() - length);
        Consumer<ChannelHandlerContext> onIdle = context -> {
            if (isPlain && context.channel().isActive()) {
                context.channel().deregister().addListener(done -> server.adopt(channel, rest));
            }
        };
        // Of a connection that is given back Netty reads nothing itself: the next request is not its own.
        served.config().setAutoRead(!isPlain);
        // The cache belongs to another thread.
        served.pipeline().addLast(CacheServers.pipeline(new NettyPages(path -> null, site, executor, onIdle)));
        loop.register(served).addListener(registered -> {
            if (registered.isSuccess()) {
                served.pipeline().fireChannelRead(Unpooled.wrappedBuffer(taken)).fireChannelReadComplete();
            } else {
                channel.close();
            }
        });
    }
}
