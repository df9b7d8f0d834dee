// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.redis;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Command;
import dev.pollux.micro.harness.ProcessorTime;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.harness.Turns;
import dev.pollux.micro.harness.Turns.Result;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/**
 * redis-benchmark against the page's Redis, the same code on Netty, and redis-server. Each has one process
 * for the whole run, so several runs show how much virtual machines differ. Used by one thread.
 */
@picocli.CommandLine.Command(name = "micro/redis.sh",
        description = "The page's Redis against the same code on Netty, and redis-server: requests per second of the"
                + " server's processor time.")
final class Main extends Program {
    private static final Map<String, String> DEFAULTS = Map.of("--rounds", "7", "--seconds", "1", "--warm-up", "3");
    private static final int FIRST_REQUESTS = 20_000;
    private static final int START_SECONDS = 30;

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

    /** A way in a process of its own. */
    private static final class Server implements AutoCloseable {
        private final int port = ServerProcess.freePort();
        private final Child process;

        /** How many a turn has. */
        private final Map<Setting, Long> requests = new HashMap<>();

        Server(Way way) throws IOException {
            process = new Child(way.command(port));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
            while (!isAccepting()) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException(way + " does not start:\n" + process.standardError());
                }
                Thread.onSpinWait();
            }
        }

        private boolean isAccepting() {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return true;
            } catch (IOException notYet) {
                return false;
            }
        }

        @Override
        public void close() {
            process.close();
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

    public static void main(String[] args) {
        run(new Main(), DEFAULTS, args);
    }

    @Override
    public Integer call() throws IOException {
        checkTurns();
        checkPositive("--pipelines", pipelines);
        checkPositive("--connections", List.of(connections));
        List<Way> ways = chosen(List.of(Way.values()), only);
        List<Setting> settings = commands.stream()
                .flatMap(command -> pipelines.stream().map(length -> new Setting(command, length))).toList();
        List<Result<Setting, Sample>> results = measure(settings, ways);
        print(results, settings, ways);
        write(results);
        return 0;
    }

    /** Starts them all and has each of them compiled in all settings before the first one is measured. */
    private List<Result<Setting, Sample>> measure(List<Setting> settings, List<Way> ways) throws IOException {
        Map<Way, Server> servers = new EnumMap<>(Way.class);
        try {
            for (Way way : ways) {
                servers.put(way, new Server(way));
                for (Setting setting : settings) {
                    warmUp(servers.get(way), setting);
                }
            }
            return Turns.play("redis", rounds, settings, ways,
                    (setting, way) -> measure(servers.get(way), setting), this::save);
        } finally {
            servers.values().forEach(Server::close);
        }
    }

    private void warmUp(Server server, Setting setting) throws IOException {
        double perSecond = load(server, setting, FIRST_REQUESTS);
        double warm = load(server, setting, (long) (perSecond * warmUp));
        server.requests.put(setting, (long) (warm * seconds));
    }

    private Sample measure(Server server, Setting setting) throws IOException {
        long requests = server.requests.get(setting);
        ProcessorTime before = ProcessorTime.of(server.process.pid());
        double perSecond = load(server, setting, requests);
        long nanos = ProcessorTime.of(server.process.pid()).since(before);
        return new Sample(requests, requests / perSecond, nanos / 1e9);
    }

    /** Has redis-benchmark make requests: how many there were in a second. */
    private double load(Server server, Setting setting, long requests) throws IOException {
        String csv = Command.output(List.of("redis-benchmark", "-p", "" + server.port, "-t", setting.command(), "-P",
                "" + setting.pipeline(), "-c", "" + connections, "-n", "" + requests, "--csv"));
        String[] lines = csv.strip().split("\n");
        return Double.parseDouble(lines[lines.length - 1].split(",")[1].replace("\"", ""));
    }

    private void print(List<Result<Setting, Sample>> results, List<Setting> settings, List<Way> ways) {
        for (Setting setting : settings) {
            Table table = new Table("way", "requests/s", "requests/CPU s", "requests/CPU s / " + ways.get(0));
            Series<Sample> base = Turns.of(results, ways.get(0).toString(), setting);
            for (Way way : ways) {
                Series<Sample> series = Turns.of(results, way.toString(), setting);
                table.add(way, series.median(Sample::perSecond, 0), series.median(Sample::perCpuSecond, 0),
                        series.ratio(base, Sample::perCpuSecond, 2));
            }
            System.out.printf("%n%s; medians of the rounds [95 %% interval of the median]%n%s%n", setting, table);
        }
    }
}
