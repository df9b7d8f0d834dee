// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Asks unmodified servers for many replies each, with a batch, and checks each byte. A part of the sockets is small,
 * and a part of the clients slow, so that many replies find no room. A server that has deferred no write, or whose
 * sockets had always room, counts as failed: that can happen with fewer than 100000 replies.
 *
 * <p>Arguments: the number of replies, by default 1000000, and the servers, by default all. Environment: BATCHES, by
 * default "writes all", and JDKS, by default "17 25".
 */
public final class Exact {
    private static final Path OUT = Path.of("target/exact");
    private static final String CLASSES = System.getProperty("java.class.path");
    private static final List<String> ALL = List.of("raw", "kafka's way", "netty", "undertow", "jetty");
    private static final List<String> PORTS = List.of("18081", "18082");

    private final Path java;
    private final String batch;
    private final String server;

    private Exact(Path java, String batch, String server) {
        this.java = java;
        this.batch = batch;
        this.server = server;
    }

    public static void main(String[] arguments) throws IOException {
        Files.createDirectories(OUT);
        String replies = arguments.length > 0 ? arguments[0] : "1000000";
        List<String> servers = arguments.length > 1 ? List.of(arguments).subList(1, arguments.length) : ALL;
        Checks checks = new Checks();
        for (String version : Build.words("JDKS", "17 25")) {
            Path java = Build.installed(version);
            if (java == null) {
                checks.skip("no JDK " + version);
                continue;
            }
            for (String batch : Build.words("BATCHES", "writes all")) {
                for (String server : servers) {
                    checks.check(server + ", batch=" + batch + ", JDK " + version,
                            () -> new Exact(java, batch, server).ask(replies));
                }
            }
        }
        checks.finish();
    }

    /** Serves until its input ends. The clients have the JDK's selector. */
    private void ask(String replies) throws IOException, InterruptedException {
        File log = OUT.resolve("server.log").toFile();
        Command serve = Command.of(java, "-Xmx512m",
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider",
                "-Ddev.pollux.batch=" + batch, "-Ddev.pollux.jmx=true", "-cp", CLASSES + ":micro/target/pollux/*",
                "Servers", server, PORTS);
        Process process = serve.builder.redirectErrorStream(false).redirectError(log).start();
        try (BufferedReader output = process.inputReader()) {
            Checks.expect("ready".equals(output.readLine()), Files.readString(log.toPath()));
            // The others may close when an input ends.
            boolean early = server.equals("raw") || server.startsWith("kafka");
            Command.Result clients = Command.of(java, "-Xmx512m", "-cp", CLASSES, "Clients", replies, early, PORTS)
                    .result();
            process.getOutputStream().close();
            String seen = output.readLine();
            System.out.println("    " + seen);
            Checks.expect(clients.status() == 0, clients.output());
            Checks.expectEqual(0, process.waitFor());
            Checks.expect(seen.matches("[1-9]\\d* deferred writes, [1-9]\\d* rests"), "no reply had to wait");
        } finally {
            process.destroyForcibly();
        }
    }
}
