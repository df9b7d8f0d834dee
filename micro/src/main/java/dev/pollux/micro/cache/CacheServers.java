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
import java.util.function.Function;
import java.util.function.Supplier;

/** The site on each kind of server: on Interruptlets, with either slow path, and in Netty alone. Stateless. */
public final class CacheServers {
    private static final int LONGEST_BODY = 32 * 1024;
    private static final int MAX_CONNECTIONS = 10_000;
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
        Executor executor = pageMaker();
        return start(address, mechanism, executor, executor);
    }

    /** Connections with such a request go to Netty, which gives them back after it. */
    public static StreamServer handingOver(InetSocketAddress address, String mechanism) throws IOException {
        return start(address, mechanism, null, pageMaker());
    }

    private static StreamServer start(InetSocketAddress address, String mechanism, Executor deferred, Executor slow)
            throws IOException {
        PageCache cache = new PageCache(ROOM);
        Function<String, Page> site = new Site(cache);
        NettySlowPath netty = new NettySlowPath(site, slow);
        StreamServer server = StreamServer.at(address, () -> new CacheInterruptlet(cache, site, deferred))
                .maxConnections(MAX_CONNECTIONS).mechanism(mechanism).slowPath(netty, Runnable::run).start();
        netty.giveBackTo(server);
        return server;
    }

    /** What each connection of Netty's begins with, where Netty has the port and the cache. */
    public static Supplier<ChannelHandler> netty() {
        PageCache cache = new PageCache(ROOM);
        Function<String, Page> site = new Site(cache);
        Executor executor = pageMaker();
        return () -> pipeline(new NettyPages(cache::find, site, executor, idle -> { }));
    }

    /** Puts Netty's codec before the handler of a connection. */
    static ChannelHandler pipeline(NettyPages handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(LONGEST_BODY), handler);
            }
        };
    }
}
