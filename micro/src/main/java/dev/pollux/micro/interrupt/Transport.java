// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

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
enum Transport {
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

    /** An event loop of one thread. */
    public EventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(1, handlers.get());
    }
}
