// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.servers;

import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The three programs of Sun's sample of JDK 1.4, each by itself: two servers that run until they are killed, and the
 * client that loads one of them.
 */
@Command(name = "micro/servers.sh", description = "A server or the client by itself.", synopsisSubcommandLabel = "PROGRAM")
final class Standalone {
    private static final int SEED = 1;

    /** Where a server listens. */
    static final class Address {
        @Option(names = "--host", defaultValue = "localhost", description = "default: ${DEFAULT-VALUE}")
        private String host;

        @Option(names = "--port", defaultValue = "4444", description = "default: ${DEFAULT-VALUE}")
        private int port;

        InetSocketAddress resolved() {
            return new InetSocketAddress(host, port);
        }
    }

    public static void main(String[] args) {
        int status = new CommandLine(new Standalone()).execute(args);
        if (status != 0) {
            System.exit(status);
        }
    }

    @Command(name = "SimpleServer", description = "A thread for each connection.", mixinStandardHelpOptions = true)
    void simpleServer(@Mixin Address address) throws IOException {
        serve(SimpleServer.platform(Sizes.USUAL), address, "a thread for each connection");
    }

    @Command(name = "PollingServer", description = "One Poller; workers divide what is ready.",
            mixinStandardHelpOptions = true)
    void pollingServer(@Mixin Address address,
            @Option(names = "--workers", description = "default: one more than there are processors") Integer workers)
            throws IOException {
        int count = workers == null ? Runtime.getRuntime().availableProcessors() + 1 : workers;
        serve(new PollingServer(Sizes.USUAL, count), address, count + " workers");
    }

    private static void serve(Server server, Address address, String how) throws IOException {
        System.out.println(server.engine() + ", " + how + ": "
                + ServerMain.start(server, address.resolved()).getLocalAddress());
    }

    @Command(name = "Client", description = "Many connections to a server, some of which have a request outstanding.",
            mixinStandardHelpOptions = true)
    void client(@Mixin Address address,
            @Option(names = "--connections", defaultValue = "1000", description = "default: ${DEFAULT-VALUE}")
            int connections,
            @Option(names = "--outstanding", defaultValue = "200", description = "default: ${DEFAULT-VALUE}")
            int outstanding,
            @Option(names = "--requests", defaultValue = "200000", description = "default: ${DEFAULT-VALUE}")
            int requests) throws IOException {
        Client client = new Client(Sizes.USUAL);
        client.open(address.resolved(), connections);
        String[] times = client.run(requests, Math.min(outstanding, connections), SEED).split(" ");
        double seconds = Long.parseLong(times[0]) / 1e9;
        System.out.printf("%d requests on %d connections, %d at a time: %.2f s, %.0f requests/s, p50 %d us, p99 %d us%n",
                requests, connections, outstanding, seconds, requests / seconds, Long.parseLong(times[1]) / 1000,
                Long.parseLong(times[2]) / 1000);
        client.close();
    }
}
