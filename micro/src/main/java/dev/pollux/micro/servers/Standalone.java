// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The three programs of Sun's sample, each by itself: two servers that run until they are killed, and the client that
 * loads one of them.
 */
@Command(name = "micro/servers.sh", description = "A server or the client by itself.")
final class Standalone {
    private static final int SEED = 1;

    /** Where a server listens. */
    static final class Address {
        @Option(names = "--host", paramLabel = "NAME", defaultValue = "localhost", description = "the server's host")
        private String host;

        @Option(names = "--port", paramLabel = "N", defaultValue = "4444", description = "the server's port")
        private int port;

        @Option(names = "--help", usageHelp = true, description = "this text")
        private boolean help;

        InetSocketAddress resolved() {
            return new InetSocketAddress(host, port);
        }
    }

    public static void main(String[] args) {
        int status = new CommandLine(new Standalone()).setExecutionExceptionHandler(Standalone::explain).execute(args);
        if (status != 0) {
            System.exit(status);
        }
    }

    private static int explain(Exception failure, CommandLine command, CommandLine.ParseResult arguments) {
        System.err.println(failure);
        return 1;
    }

    @Command(name = "SimpleServer", showDefaultValues = true, description = "A thread for each connection.")
    void simpleServer(@Mixin Address address) throws IOException {
        serve(SimpleServer.platform(Sizes.USUAL), address, "a thread for each connection");
    }

    @Command(name = "PollingServer", showDefaultValues = true,
            description = "One Poller, whose events several workers handle.")
    void pollingServer(@Mixin Address address,
            @Option(names = "--workers", paramLabel = "N", description = "default: one more than there are processors")
            Integer workers) throws IOException {
        int count = workers == null ? Runtime.getRuntime().availableProcessors() + 1 : workers;
        serve(new PollingServer(Sizes.USUAL, count), address, count + " workers");
    }

    private static void serve(Server server, Address address, String how) throws IOException {
        System.out.println(server.engine() + ", " + how + ": "
                + ServerMain.start(server, address.resolved()).getLocalAddress());
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
            @Option(names = "--requests", paramLabel = "N", defaultValue = "200000",
                    description = "requests in all")
            int requests) throws IOException {
        int atATime = Math.min(outstanding, connections);
        Client client = new Client(Sizes.USUAL);
        client.open(address.resolved(), connections);
        String[] times = client.run(requests, atATime, SEED).split(" ");
        double seconds = Long.parseLong(times[0]) / 1e9;
        System.out.printf("%d requests on %d connections, %d at a time: %.2f s, %.0f requests/s, p50 %d us,"
                + " p99 %d us%n", requests, connections, atATime, seconds, requests / seconds,
                Long.parseLong(times[1]) / 1000, Long.parseLong(times[2]) / 1000);
        client.close();
    }
}
