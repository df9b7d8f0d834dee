// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import dev.pollux.micro.contest.Peers;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The three programs of Sun's sample, each by itself: two servers that run until they are killed, and the client that
 * loads one of them.
 */
@Command
public final class Standalone {
    /** What all of them have. */
    static final class Address {
        @Option(names = "--port", paramLabel = "N", defaultValue = "4444",
                description = "the server's port of the loopback address")
        private int port;

        @Option(names = "--help", usageHelp = true, description = "this text")
        private boolean help;
    }

    @Command(name = "SimpleServer", showDefaultValues = true, description = "A thread for each connection.")
    void simpleServer(@Mixin Address address) throws Exception {
        serve(ThreadServer.platform(Protocol.ECHO), address, "a thread for each connection");
    }

    @Command(name = "PollingServer", showDefaultValues = true,
            description = "One Poller, whose events several workers handle.")
    void pollingServer(@Mixin Address address,
            @Option(names = "--workers", paramLabel = "N", description = "default: one more than there are processors")
            Integer workers) throws Exception {
        int count = workers == null ? Runtime.getRuntime().availableProcessors() + 1 : workers;
        serve(new PollerServer.Gang(Protocol.ECHO, count), address, count + " workers");
    }

    private static void serve(Application server, Address address, String how) throws Exception {
        System.out.println(server.version() + ", " + how + ", port " + address.port);
        server.start(address.port);
    }

    @Command(name = "Client", showDefaultValues = true,
            description = "Many connections to a server, some of which have a request outstanding.")
    void client(@Mixin Address address,
            @Option(names = "--connections", paramLabel = "N", defaultValue = "1000",
                    description = "connections to the server")
            int connections,
            @Option(names = "--outstanding", paramLabel = "N", defaultValue = "200",
                    description = "requests without a reply at any moment, at most one on each connection")
            int outstanding,
            @Option(names = "--seconds", paramLabel = "S", defaultValue = "5", description = "how long it asks")
            double seconds) throws IOException {
        try (Peers peers = new Peers(Protocol.ECHO.label(), 1)) {
            peers.open(address.port, connections);
            long[] figures = peers.run(seconds, 0, outstanding, 1);
            System.out.printf("%d requests on %d connections, %d at a time: %.2f s, %.0f requests/s, p50 %d us,"
                    + " p99 %d us%n", figures[0], connections, Math.min(outstanding, connections), figures[1] / 1e9,
                    figures[0] * 1e9 / figures[1], figures[2] / 1000, figures[3] / 1000);
        }
    }
}
