// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import dev.pollux.micro.cache.CacheServers;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Transport;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * The ways of serving. THREADS and VIRTUAL have a thread for each connection, which blocks in a read. JDK and POLLUX
 * are one thread in {@code Selector.select(Consumer)}, POLLER is one in {@code Poller.await}, level-triggered. In GANG
 * one of the threads waits, what is ready is divided among all, and when the last is done the one waits again. In
 * ONESHOT all wait, and a member is enabled again after its request was answered; in BATCHES each takes several at a
 * time. NETTY_ are Netty's transports, with a handler that copies nothing and no codec; NETTY_POLLUX is NIO on the
 * selector of Pollux. URING and EPOLL are an Interruptlet whose page is resident. HANDOVER gives each connection that
 * leaves the fast path to Netty, and gets it back. UNDERTOW, whose handler runs in its I/O threads, and HELIDON, which
 * has virtual ones, are those of the unmodified servers. C_LOOP is epoll_wait, recv and send in C, C_URING and C_EPOLL
 * are C on {@code arena.h}.
 */
public enum Way {
    THREADS, VIRTUAL, JDK, POLLUX, POLLER, GANG, ONESHOT, BATCHES, NETTY_NIO, NETTY_POLLUX, NETTY_EPOLL, NETTY_URING,
    URING, EPOLL, UNDERTOW, HELIDON, HANDOVER, C_LOOP, C_URING, C_EPOLL;

    /** Members that a thread takes at once. */
    private static final int BATCH = 8;

    /** Event-loop threads of the ways that have some. */
    static final int LOOPS = Integer.getInteger("pollux.micro.loops", 1);

    /** As the command line, the table and the files of figures name it. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The server argument of `arena.c`; null for Java. */
    String mechanismOfC() {
        return switch (this) {
            case C_LOOP -> "loop";
            case C_URING -> "io_uring";
            case C_EPOLL -> "epoll";
            default -> null;
        };
    }

    /** Whether it has a number of workers to choose. */
    boolean hasWorkers() {
        return this == GANG || this == ONESHOT || this == BATCHES;
    }

    /** Whether it runs only where there are virtual threads. */
    boolean needsVirtualThreads() {
        return this == VIRTUAL || this == HELIDON;
    }

    boolean servesTls() {
        return switch (this) {
            case NETTY_NIO, NETTY_EPOLL, NETTY_URING, URING, EPOLL -> true;
            default -> false;
        };
    }

    boolean serves(Protocol protocol) {
        return switch (this) {
            case NETTY_NIO, NETTY_EPOLL, NETTY_URING, URING, EPOLL -> true;
            case NETTY_POLLUX, HANDOVER -> protocol == Protocol.MIX;
            case UNDERTOW, HELIDON -> protocol != Protocol.ECHO && protocol != Protocol.MIX;
            case C_LOOP, C_URING, C_EPOLL -> protocol == Protocol.HTTP || protocol == Protocol.ECHO;
            default -> protocol != Protocol.MIX;
        };
    }

    /** Options of the java command beyond those that all have. */
    List<String> options(Protocol protocol) {
        return switch (this) {
            case POLLUX, NETTY_POLLUX -> List.of(Child.POLLUX);
            case UNDERTOW, HELIDON -> List.of("-Dpollux.micro.body=" + protocol.body);
            default -> List.of();
        };
    }

    /** The name by which its virtual machine knows it; argument: how the tables name it. */
    String application(Protocol protocol, String label) {
        return this == UNDERTOW || this == HELIDON ? label : protocol.label() + ":" + label;
    }

    /** The server that a name stands for, such as "http:uring" or "echo:gang 2"; called in its virtual machine. */
    public static Application application(String name) throws IOException {
        String[] words = name.split("[: ]");
        Protocol protocol = Protocol.valueOf(words[0].toUpperCase(Locale.ROOT));
        Way way = valueOf(words[1].toUpperCase(Locale.ROOT).replace('-', '_'));
        return protocol == Protocol.MIX ? way.mixed()
                : way.application(protocol, words.length == 3 ? Integer.parseInt(words[2]) : 1);
    }

    private Application application(Protocol protocol, int workers) throws IOException {
        return switch (this) {
            case THREADS -> SocketServer.platform(protocol);
            case VIRTUAL -> SocketServer.virtual(protocol);
            case JDK, POLLUX -> new SelectorServer(protocol, false);
            case POLLER -> new PollerServer(protocol);
            case GANG -> new PollerServer.Gang(protocol, workers);
            case ONESHOT -> new PollerServer.OneShot(protocol, workers, 1);
            case BATCHES -> new PollerServer.OneShot(protocol, workers, BATCH);
            case NETTY_NIO -> NettyServer.of(Transport.NIO, protocol);
            case NETTY_EPOLL -> NettyServer.of(Transport.EPOLL, protocol);
            case NETTY_URING -> NettyServer.of(Transport.IO_URING, protocol);
            case URING -> InterruptletServer.answeringAll(protocol, "io_uring");
            case EPOLL -> InterruptletServer.answeringAll(protocol, "epoll");
            default -> throw new IllegalArgumentException(label());
        };
    }

    /** The page cache. */
    private Application mixed() {
        return switch (this) {
            case NETTY_NIO, NETTY_POLLUX -> new NettyServer(Transport.NIO, CacheServers.netty());
            case NETTY_EPOLL -> new NettyServer(Transport.EPOLL, CacheServers.netty());
            case NETTY_URING -> new NettyServer(Transport.IO_URING, CacheServers.netty());
            case URING -> new InterruptletServer(address -> CacheServers.deferring(address, "io_uring"));
            case EPOLL -> new InterruptletServer(address -> CacheServers.deferring(address, "epoll"));
            case HANDOVER -> new InterruptletServer(address -> CacheServers.handingOver(address, "io_uring"));
            default -> throw new IllegalArgumentException(label());
        };
    }
}
