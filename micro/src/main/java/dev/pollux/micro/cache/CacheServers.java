// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.server.StreamServer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** The site on each kind of server: on Interruptlets, with either slow path, and in Netty alone. Stateless. */
public final class CacheServers {
    static final int LONGEST_BODY = 32 * 1024;
    private static final int MOST_CONNECTIONS = 10_000;
    private static final long ROOM = 16 << 20;

    private CacheServers() {
    }

    /** The thread that makes pages. */
    private static Executor pageMaker() {
        return Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "pages");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Requests that the cache does not answer are answered later, one by one. */
    public static StreamServer deferring(InetSocketAddress address, String mechanism) throws IOException {
        Site site = new Site(ROOM);
        Executor executor = pageMaker();
        return StreamServer.at(address, () -> CacheInterruptlet.deferring(site, executor))
                .maxConnections(MOST_CONNECTIONS).mechanism(mechanism).start();
    }

    /** Connections with such a request go to Netty, which gives them back after it. */
    public static StreamServer handingOver(InetSocketAddress address, String mechanism) throws IOException {
        Site site = new Site(ROOM);
        PageCache cache = site.cache();
        NettySlowPath netty = new NettySlowPath(site, cache, pageMaker());
        StreamServer server = StreamServer.at(address, () -> CacheInterruptlet.handingOver(site, cache))
                .maxConnections(MOST_CONNECTIONS).mechanism(mechanism)
                .slowPath(netty, Runnable::run).start();
        netty.giveBackTo(server);
        return server;
    }

    /** What each connection of Netty's begins with, where Netty has the port and the cache. */
    public static Supplier<ChannelHandler> netty() {
        Site site = new Site(ROOM);
        PageCache cache = site.cache();
        Executor executor = pageMaker();
        return () -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(LONGEST_BODY),
                        new NettyPages(site, cache, executor));
            }
        };
    }
}
