// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What Pollux says of loops, and what it does not:
 *
 * <ul>
 * <li>planted: faults in plain NIO and Netty. Each must be named, once, within two seconds. A handler that sleeps, in
 *     Netty and Jetty, must be recorded, and top must show it
 * <li>healthy: six servers that nobody has changed run side by side under mixed load, at full speed in the last tenth
 *     of the time. Nothing is wrong, so nothing must be said: each must answer everything, log nothing of Pollux's, and
 *     record neither a spin nor a wakeup storm. Netty, Jetty, Tomcat and Undertow come from micro, Kafka and ZooKeeper
 *     with clients of their own
 * <li>traced: Netty and Jetty under strace. Their loops must have counted what strace has seen, within 1 %
 * <li>starved: seven servers, one after the other, beside 50 processes that never wait. They are slow, and nothing is
 *     wrong
 * </ul>
 *
 * <p>Arguments: minutes, by default 10; the JDK's folder, by default the one that runs this; parts, by default all but
 * starved. Or {@code starved}; seconds for each server, by default 60; servers, separated by commas. Logs and
 * recordings are left in target/insight.
 */
public final class Insight {
    private static final String PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider";

    /** Those who are idle stay for 20 seconds. */
    private static final int TRACED_SECONDS = 39;
    private static final int REPORTS = 8;
    private static final List<String> STARVED =
            List.of("netty", "netty-http", "jetty", "tomcat", "undertow", "vertx", "httpserver");

    private static final Path OUT = Path.of("target/insight").toAbsolutePath();

    private static final Path PROGRAMS = Path.of("target/programs").toAbsolutePath();
    private static final String CLASSES = PROGRAMS.resolve("insight").toString();

    private final String seconds;
    private final String java;
    private final String access;
    private final String http;
    private final Checks checks = new Checks();

    private Insight(String seconds, String home) throws IOException, InterruptedException {
        this.seconds = seconds;
        java = home + "/bin/java";
        String wanted = "--enable-native-access=ALL-UNNAMED"; // JDK 25 warns without it
        access = Command.of(java, wanted, "-version").result().status() == 0 ? wanted : "-Dnone";
        Command.of("rm", "-rf", OUT).output();
        Files.createDirectories(OUT);
        // A build in the meantime changes nothing.
        http = Files.copy(Build.jar("."), OUT.resolve("pollux.jar")) + ":micro/target/classes:micro/target/lib/*";
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> all = List.of(arguments);
        String home = System.getProperty("java.home");
        Insight insight;
        if (!all.isEmpty() && all.get(0).equals("starved")) {
            insight = new Insight(all.size() > 1 ? all.get(1) : "60", home);
            insight.starved(all.size() > 2 ? List.of(all.get(2).split(",")) : STARVED);
        } else {
            int minutes = all.isEmpty() ? 10 : Integer.parseInt(all.get(0));
            insight = new Insight(Integer.toString(60 * minutes), all.size() > 1 ? all.get(1) : home);
            for (String part : all.size() > 2 ? all.subList(2, all.size()) : List.of("planted", "healthy", "traced")) {
                switch (part) {
                    case "planted" -> insight.planted();
                    case "healthy" -> insight.healthy();
                    case "traced" -> insight.traced();
                    case "starved" -> insight.starved(STARVED);
                    default -> throw new IllegalArgumentException("no part " + part);
                }
            }
        }
        insight.checks.finish();
    }

    /** Runs one of the classes beside this on the JDK that builds, and prints what it says. */
    private static Command.Result run(Command command) throws IOException, InterruptedException {
        Command.Result result = command.result();
        System.out.print(result.output());
        return result;
    }

    private Command program(Object... words) {
        return Command.of(System.getProperty("java.home") + "/bin/java", "-cp", CLASSES, List.of(words));
    }

    private void planted() throws IOException, InterruptedException {
        Command planted = Command.of(java, access, PROVIDER, "-cp", CLASSES + ":" + http, "Planted",
                OUT.resolve("pollux.jar"), 10);
        planted.builder.redirectErrorStream(false).redirectError(OUT.resolve("planted.err").toFile());
        String output = run(planted).output();
        Files.writeString(OUT.resolve("planted.log"), output);
        checks.add(output);
    }

    private RecordedServer server(String name, String part, List<String> under, Object... rest) throws IOException {
        List<String> command = new ArrayList<>(under);
        command.addAll(List.of(java, "-Xmx512m", access, PROVIDER));
        return new RecordedServer(name, OUT.resolve(part + "-" + name), command, rest);
    }

    private RecordedServer httpServer(String name, String part, List<String> under)
            throws IOException, InterruptedException {
        return server(name, part, under, "-cp", http, "dev.pollux.micro.apps.server.Main", name, "PORT").awaitStart();
    }

    private void expectEveryAnswer(List<RecordedServer> servers, Object duration) {
        List<Integer> ports = servers.stream().map(server -> server.port).toList();
        checks.check("every user got every answer", () ->
                Checks.expectEqual(0, run(program("Users", duration, ports)).status()));
    }

    private void healthy() throws IOException, InterruptedException {
        List<RecordedServer> servers = new ArrayList<>();
        List<RecordedServer> brokers = new ArrayList<>();
        try {
            for (String name : List.of("netty", "jetty", "tomcat", "undertow")) {
                servers.add(httpServer(name, "healthy", List.of()));
            }
            String classPath = CLASSES + ":" + OUT.resolve("pollux.jar") + ":"
                    + Files.readString(PROGRAMS.resolve("insight.path")).strip(); // micro has another Netty
            for (String name : List.of("kafka", "zookeeper")) {
                brokers.add(server(name, "healthy", List.of(), "-cp", classPath, "Broker", name, seconds,
                        Files.createDirectory(OUT.resolve(name))));
            }
            expectEveryAnswer(servers, seconds);
            servers.addAll(brokers);
            for (RecordedServer server : servers) {
                server.end();
            }
        } finally {
            servers.forEach(RecordedServer::close);
            brokers.forEach(RecordedServer::close);
        }
        for (RecordedServer server : servers) {
            isHealthy(server);
        }
        for (RecordedServer broker : brokers) {
            checks.check(broker.name + " served its clients", () -> Checks.expect(broker.log().stream()
                    .anyMatch(line -> line.matches(broker.name + ": [1-9].*")), "it did not"));
        }
    }

    private void isHealthy(RecordedServer server) throws IOException {
        Map<String, Long> events = server.events();
        checks.check(server.name + " logs nothing of Pollux", server::expectNothingOfPolluxInLog);
        for (String some : List.of("SelectorOpened", "SelectorStatistics")) {
            checks.check(server.name + " has events " + some, () ->
                    Checks.expect(events.containsKey("dev.pollux." + some), "it has " + events));
        }
        for (String none : List.of("Spin", "WakeupStorm")) {
            checks.check(server.name + " has no event " + none, () ->
                    Checks.expectEqual(null, events.get("dev.pollux." + none)));
        }
    }

    /** One after the other, each from its start on, since most classes are loaded in the first minute. */
    private void starved(List<String> names) throws IOException, InterruptedException {
        for (String name : names) {
            try (BusyProcesses busy = new BusyProcesses();
                    RecordedServer server = new RecordedServer(name, false, OUT.resolve("starved-" + name),
                            List.of(java, "-Xmx512m", access, PROVIDER), "-cp", http,
                            "dev.pollux.micro.apps.server.Main", name, "PORT")) {
                long answers = busy.ask(server.awaitListening().port, Integer.parseInt(seconds));
                checks.check("starved " + name + " has answered " + answers + " times", () ->
                        Checks.expect(answers > 0, "it has not"));
                checks.check("starved " + name + " is not accused", server::expectNoAccusationInLog);
            }
        }
    }

    private void traced() throws IOException, InterruptedException {
        if (!Command.isThere("strace") || Command.of("strace", "-o", "/dev/null", "true").result().status() != 0) {
            checks.skip("strace is not permitted here");
            return;
        }
        List<RecordedServer> servers = new ArrayList<>();
        try {
            for (String name : List.of("netty", "jetty")) {
                Path calls = Files.createDirectories(OUT.resolve("calls").resolve(name));
                servers.add(httpServer(name, "traced", List.of("strace", "--seccomp-bpf", "-ff", "-o",
                        calls.resolve("thread").toString(), "-e",
                        "trace=?epoll_wait,epoll_pwait,?epoll_pwait2,epoll_ctl,write")));
            }
            expectEveryAnswer(servers, TRACED_SECONDS);
            // Loops report at most once a second, and only when they have something to do.
            for (int i = 0; i < REPORTS; i++) {
                Thread.sleep(1100);
                for (RecordedServer server : servers) {
                    URI.create("http://127.0.0.1:" + server.port + "/").toURL().openStream().close();
                }
            }
            for (RecordedServer server : servers) {
                server.end();
            }
        } finally {
            servers.forEach(RecordedServer::close);
        }
        for (RecordedServer server : servers) {
            checks.check(server.name + "'s loops have counted what strace has seen", () -> Checks.expectEqual(0,
                    run(program("Traced", server.recording(), OUT.resolve("calls").resolve(server.name))).status()));
        }
    }
}
