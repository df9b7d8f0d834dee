// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.server.SlowPath;
import dev.pollux.server.StreamServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;

/**
 * Netty, unmodified, takes a connection with its unread bytes, answers one request, and gives the connection back. If
 * the request does not say how long it is, Netty keeps the connection. Safe for use by many threads.
 */
final class NettySlowPath implements SlowPath {
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Site site;
    private final PageCache fastCache;
    private final Executor executor;

    /** Set before the first request, since the server needs a slow path to be started. */
    private volatile StreamServer server;

    NettySlowPath(Site site, PageCache fastCache, Executor executor) {
        this.site = site;
        this.fastCache = fastCache;
        this.executor = executor;
    }

    /** Whom connections are given back to. */
    void giveBackTo(StreamServer one) {
        server = one;
    }

    @Override
    public void handle(SocketChannel channel, ByteBuffer unread) throws IOException {
        NioSocketChannel served = new NioSocketChannel(channel);
        Gate gate = new Gate(unread);
        served.pipeline().addLast(gate, new HttpServerCodec(),
                new HttpObjectAggregator(CacheServers.LONGEST_BODY), new Serving(channel, gate));
        loop.register(served).addListener(registered -> {
            if (!registered.isSuccess()) {
                channel.close();
            }
        });
    }

    /** Lets the bytes of one request pass, so that none of the next one has been decoded when Netty is done. */
    private static final class Gate extends ChannelInboundHandlerAdapter {
        private final ByteBuffer unread;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final boolean isOpenForAll;

        /** So many bytes may pass. */
        private long open;

        /** The ConnectionHandler has seen that the request's head is there. */
        Gate(ByteBuffer unread) {
            this.unread = unread;
            RequestHead head = new RequestHead();
            RequestHead.Outcome outcome = head.parse(unread);
            isOpenForAll = outcome == RequestHead.Outcome.MALFORMED || head.isEncoded;
            open = head.end - unread.position() + head.contentLength();
        }

        /** Before anything is read from the channel. */
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.fireChannelActive();
            channelRead(context, Unpooled.wrappedBuffer(unread));
            context.fireChannelReadComplete();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            int passing = isOpenForAll ? data.readableBytes() : (int) Math.min(open, data.readableBytes());
            open -= passing;
            kept.writeBytes(ByteBufUtil.getBytes(data, data.readerIndex() + passing, data.readableBytes() - passing));
            if (passing > 0) {
                context.fireChannelRead(data.slice(data.readerIndex(), passing));
            } else {
                data.release();
            }
        }

        ByteBuffer unread() {
            return ByteBuffer.wrap(kept.toByteArray());
        }
    }

    /** Serves one request, and gives the connection back. */
    private final class Serving extends NettyPages {
        private final SocketChannel channel;
        private final Gate gate;

        Serving(SocketChannel channel, Gate gate) {
            super(site, fastCache, executor);
            this.channel = channel;
            this.gate = gate;
        }

        /** This thread may not look into the other loop's cache. */
        @Override
        Page cached(String path) {
            return null;
        }

        /** Until it is deregistered, the gate keeps what comes. */
        @Override
        void onIdle(ChannelHandlerContext context) {
            if (!gate.isOpenForAll && context.channel().isActive()) {
                context.channel().deregister().addListener(done -> server.adopt(channel, gate.unread()));
            }
        }
    }
}
