// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.micro.harness.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine;

/** The site at a port, for whatever client: runs until it is killed. */
@Command(name = "micro/cache.sh serve", showDefaultValues = true, mixinStandardHelpOptions = true,
        description = "Serves /static/0 to /static/999 (GET, HEAD, PUT) and /dynamic/... at a port of this host.")
public final class Main implements Callable<Integer> {
    /** Who serves. */
    enum Kind {
        DEFERRING, HANDING_OVER, NETTY_NIO;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Option(names = "--port", paramLabel = "N", defaultValue = "8080", description = "where it listens")
    private int port;

    @Option(names = "--kind", paramLabel = "KIND", defaultValue = "deferring",
            description = "deferring (an Interruptlet; other requests are answered later by another thread),"
                    + " handing-over (an Interruptlet; connections with other requests go to Netty, and come back),"
                    + " netty-nio (Netty alone)")
    private Kind kind;

    @Option(names = "--mechanism", paramLabel = "NAME", description = "io_uring, epoll or poll (default: the best)")
    private String mechanism;

    /** Arguments: what {@code --help} explains. */
    public static void main(String[] args) {
        CommandLine line = new CommandLine(new Main());
        line.registerConverter(Kind.class, word -> Kind.valueOf(word.toUpperCase(Locale.ROOT)
                .replace('-', '_')));
        int status = line.execute(args);
        if (status != 0 || line.isUsageHelpRequested()) {
            System.exit(status);
        }
    }

    @Override
    public Integer call() throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        String engine = switch (kind) {
            case DEFERRING -> CacheServers.deferring(address, mechanism).mechanism();
            case HANDING_OVER -> CacheServers.handingOver(address, mechanism).mechanism();
            case NETTY_NIO -> netty(address);
        };
        System.out.println(kind + " on " + engine + ", listening at http://" + address.getHostString() + ":" + port);
        return 0;
    }

    private static String netty(InetSocketAddress address) {
        Transport.NIO.serve(1, address, CacheServers.netty());
        return "Netty's NIO";
    }
}
