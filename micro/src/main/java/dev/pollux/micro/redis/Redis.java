// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.redis;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.ProcessorTime;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.harness.Transport;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * redis-benchmark against the page's Redis, the same code on Netty, and redis-server. Each has one process
 * for the whole run, so several runs show how much virtual machines differ. Used by one thread.
 */
@Command(description = "The page's Redis against the same code on Netty, and redis-server: requests per second of the"
                + " server's processor time.")
public final class Redis extends Program {
    private static final int FIRST_REQUESTS = 20_000;

    @Option(names = "--commands", paramLabel = "NAME", split = ",", defaultValue = "set,get",
            description = "tests of redis-benchmark, separated by commas")
    private List<String> commands;

    @Option(names = "--pipelines", paramLabel = "N", split = ",", defaultValue = "1,16",
            description = "how many requests a connection sends at once")
    private List<Integer> pipelines;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "50", description = "connections to the server")
    private int connections;

    @Option(names = "--only", paramLabel = "WAY", split = ",", description = "these ways, not all")
    private List<String> only;

    /** What all ways are measured with. */
    private record Setting(String command, int pipeline) {
        @Override
        public String toString() {
            return command + ", pipelines of " + pipeline;
        }
    }

    /** One turn of one way. */
    private record Sample(long requests, double seconds, double cpuSeconds) {
        double perSecond() {
            return requests / seconds;
        }

        double perCpuSecond() {
            return requests / cpuSeconds;
        }
    }

    @Override
    public Map<String, String> defaults(List<String> words) {
        return Map.of("--rounds", "7", "--seconds", "1", "--warm-up", "3");
    }

    @Override
    public Integer call() throws IOException {
        checkTurns();
        checkPositive("--pipelines", pipelines);
        checkPositive("--connections", List.of(connections));
        List<Way> ways = chosen(List.of(Way.values()), only);
        List<Setting> settings = commands.stream()
                .flatMap(command -> pipelines.stream().map(length -> new Setting(command, length))).toList();
        Rounds<Setting, Sample> results = measure(settings, ways);
        print(results, settings, ways);
        write(results.results());
        return 0;
    }

    /** Starts them all and has each of them compiled in all settings before the first one is measured. */
    private Rounds<Setting, Sample> measure(List<Setting> settings, List<Way> ways) throws IOException {
        Map<Way, ServerProcess> servers = new EnumMap<>(Way.class);
        Map<Way, Map<Setting, Long>> requests = new EnumMap<>(Way.class);
        try {
            for (Way way : ways) {
                int port = ServerProcess.freePort();
                servers.put(way, new ServerProcess(way.command(port), port));
                servers.get(way).awaitStart();
                requests.put(way, new HashMap<>());
                for (Setting setting : settings) {
                    double perSecond = load(servers.get(way), setting, FIRST_REQUESTS);
                    double warm = load(servers.get(way), setting, (long) (perSecond * warmUp));
                    requests.get(way).put(setting, (long) (warm * seconds));
                }
            }
            return Rounds.play("redis", this, settings, ways,
                    (setting, way) -> measure(servers.get(way), setting, requests.get(way).get(setting)));
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            servers.values().forEach(ServerProcess::close);
        }
    }

    private Sample measure(ServerProcess server, Setting setting, long requests) throws IOException {
        ProcessorTime before = ProcessorTime.of(server.pid());
        double perSecond = load(server, setting, requests);
        long nanos = ProcessorTime.of(server.pid()).since(before);
        return new Sample(requests, requests / perSecond, nanos / 1e9);
    }

    /** Has redis-benchmark make requests: how many there were in a second. */
    private double load(ServerProcess server, Setting setting, long requests) throws IOException {
        String csv = Child.output(List.of("redis-benchmark", "-p", "" + server.port(), "-t", setting.command(), "-P",
                "" + setting.pipeline(), "-c", "" + connections, "-n", "" + requests, "--csv"));
        String[] lines = csv.strip().split("\n");
        return Double.parseDouble(lines[lines.length - 1].split(",")[1].replace("\"", ""));
    }

    private void print(Rounds<Setting, Sample> results, List<Setting> settings, List<Way> ways) {
        for (Setting setting : settings) {
            Table table = new Table("way", "requests/s", "requests/CPU s", "requests/CPU s / " + ways.get(0));
            Series<Sample> base = results.of(ways.get(0), setting);
            for (Way way : ways) {
                Series<Sample> series = results.of(way, setting);
                table.add(way, series.median(Sample::perSecond, 0), series.median(Sample::perCpuSecond, 0),
                        series.ratio(base, Sample::perCpuSecond, 2));
            }
            System.out.printf("%n%s; medians of the rounds [95 %% interval of the median]%n%s%n", setting, table);
        }
    }

    /** The ways of serving Redis' protocol, each with one thread. All but the first run the same handler. */
    private enum Way {
        REDIS_SERVER, NETTY_NIO, NETTY_EPOLL, URING, EPOLL;

        /** The command that serves at a port of the loopback address until it is killed. */
        List<String> command(int port) {
            return this == REDIS_SERVER
                    ? List.of("redis-server", "--port", "" + port, "--save", "", "--appendonly", "no", "--io-threads",
                            "1")
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
}
