// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.redis;

import dev.pollux.micro.harness.FlushingHandler;
import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.Phase;
import dev.pollux.server.Reply;
import dev.pollux.server.StreamServer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Has a handler of a StreamServer serve a connection of Netty's: it takes requests from where Netty has received them,
 * and what it sends for all that was read is written as one buffer. What the page's Redis does not use is missing.
 */
final class NettyExchange extends FlushingHandler implements Exchange {
    private final ConnectionHandler handler;

    /** The beginning of a request; null unless it came in pieces. */
    private ByteBuf unfinished;

    private ByteBuf replies;
    private boolean awaitsMore;
    private boolean isClosing;

    NettyExchange(ConnectionHandler handler) {
        this.handler = handler;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        ByteBuf data = (ByteBuf) message;
        if (unfinished != null) {
            data = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), unfinished, data);
            unfinished = null;
        }
        replies = context.alloc().directBuffer();
        awaitsMore = false;
        while (data.isReadable() && !awaitsMore && !isClosing) {
            ByteBuffer view = data.nioBuffer();
            handler.onData(view, this);
            if (!awaitsMore) {
                data.skipBytes(view.position());
            }
        }
        if (data.isReadable() && !isClosing) {
            unfinished = data;
        } else {
            data.release();
        }
        if (isClosing) {
            context.writeAndFlush(replies).addListener(ChannelFutureListener.CLOSE);
        } else {
            context.write(replies, context.voidPromise());
        }
    }

    @Override
    public void send(ByteBuffer bytes) {
        replies.writeBytes(bytes.duplicate());
    }

    @Override
    public void awaitMore() {
        awaitsMore = true;
    }

    @Override
    public void close() {
        isClosing = true;
    }

    @Override
    public StreamServer server() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long id() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object attachment() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object attach(Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void continueRequest() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setTimeout(Phase phase, Duration time) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Reply defer() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void handOver() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Connection connection() {
        throw new UnsupportedOperationException();
    }
}
