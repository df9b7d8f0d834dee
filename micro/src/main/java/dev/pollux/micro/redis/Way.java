// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.redis;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Transport;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.StreamServer;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;

/** The ways of serving Redis' protocol, each with one thread. All but the first run the same handler. */
enum Way {
    REDIS_SERVER, NETTY_NIO, NETTY_EPOLL, URING, EPOLL;

    /** The command that serves at a port of the loopback address until it is killed. */
    List<String> command(int port) {
        return this == REDIS_SERVER
                ? List.of("redis-server", "--port", "" + port, "--save", "", "--appendonly", "no", "--io-threads", "1")
                : Child.java(List.of(), Way.class, name(), "" + port);
    }

    /** The entry point of a server's virtual machine: arguments are the way and its port. */
    public static void main(String[] args) throws Exception {
        valueOf(args[0]).serve(Integer.parseInt(args[1]));
        Thread.currentThread().join();
    }

    private void serve(int port) throws Exception {
        switch (this) {
            case NETTY_NIO -> serve(Transport.NIO, port);
            case NETTY_EPOLL -> serve(Transport.EPOLL, port);
            case URING -> serve("io_uring", port);
            default -> serve("epoll", port);
        }
    }

    private static void serve(String mechanism, int port) throws Exception {
        ConnectionHandler redis = redis();
        StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), () -> redis)
                .mechanism(mechanism).start();
    }

    private static void serve(Transport transport, int port) throws Exception {
        ConnectionHandler redis = redis();
        transport.serve(1, port, () -> new NettyExchange(redis));
    }

    /** The page's example, which the script has compiled. */
    private static ConnectionHandler redis() throws ReflectiveOperationException {
        Constructor<?> constructor = Class.forName("Redis").getDeclaredConstructor();
        constructor.setAccessible(true);
        return (ConnectionHandler) constructor.newInstance();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
