// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.net.InetAddress;
import java.util.function.Supplier;

/** Netty's transports. */
public enum Transport {
    /** On whatever selector this virtual machine has. */
    NIO(NioServerSocketChannel.class, NioIoHandler::newFactory),

    /** Netty's own, on epoll. */
    EPOLL(EpollServerSocketChannel.class, EpollIoHandler::newFactory),

    /** Netty's own, on io_uring. */
    IO_URING(IoUringServerSocketChannel.class, IoUringIoHandler::newFactory);

    private static final int BACKLOG = 1024;

    private final Class<? extends ServerChannel> channel;
    private final Supplier<IoHandlerFactory> factories;

    Transport(Class<? extends ServerChannel> channel, Supplier<IoHandlerFactory> factories) {
        this.channel = channel;
        this.factories = factories;
    }

    /** Its listening channels. */
    public Class<? extends ServerChannel> channel() {
        return channel;
    }

    /**
     * Listens on the loopback address, and serves with event loops of one thread each.
     *
     * @param threads 0 for as many as is Netty's default
     * @param handlers makes what each connection's pipeline begins with, which may add more
     */
    public void serve(int threads, int port, Supplier<ChannelHandler> handlers) {
        new ServerBootstrap().group(new MultiThreadIoEventLoopGroup(threads, factories.get())).channel(channel)
                .option(ChannelOption.SO_BACKLOG, BACKLOG).childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel one) {
                        one.pipeline().addLast(handlers.get());
                    }
                }).bind(InetAddress.getLoopbackAddress(), port).syncUninterruptibly();
    }
}
