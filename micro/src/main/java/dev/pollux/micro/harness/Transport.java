// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.util.function.Supplier;

/** Netty's transports. */
public enum Transport {
    /** On whatever selector this virtual machine has. */
    NIO(NioServerSocketChannel.class, NioIoHandler::newFactory),

    /** Netty's own, on epoll. */
    EPOLL(EpollServerSocketChannel.class, EpollIoHandler::newFactory),

    /** Netty's own, on io_uring. */
    IO_URING(IoUringServerSocketChannel.class, IoUringIoHandler::newFactory);

    private final Class<? extends ServerChannel> channel;
    private final Supplier<IoHandlerFactory> handlers;

    Transport(Class<? extends ServerChannel> channel, Supplier<IoHandlerFactory> handlers) {
        this.channel = channel;
        this.handlers = handlers;
    }

    /** Its listening channels. */
    public Class<? extends ServerChannel> channel() {
        return channel;
    }

    /** Event loops of one thread each; with 0, as many as is Netty's default. */
    public EventLoopGroup loops(int threads) {
        return new MultiThreadIoEventLoopGroup(threads, handlers.get());
    }
}
