// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.contest.Peers;
import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Records Netty on Pollux under a load that comes and goes, and draws how busy each of its loops was, and what
 * {@code top} shows of them. Used by one thread.
 */
@Command(name = "loops", mixinStandardHelpOptions = true,
        description = "Draws a recording of Netty's loops, and what top shows of them.")
public final class Loops implements Callable<Integer> {
    private static final int SECONDS = 8;
    private static final int SECONDS_BETWEEN = 3;
    /** The number of connections at which the terminal is drawn. */
    private static final int SHOWN = 16;

    @Parameters(arity = "0..1", paramLabel = "FOLDER", defaultValue = "${env:POLLUX_DOCS}",
            description = "where the pictures go (default: docs)")
    private Path folder;

    /** The scripts that draw, and the Python that has what they need. */
    private final String report = System.getenv("POLLUX_REPORT");
    private final String python = System.getenv("POLLUX_PYTHON");

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path recording = Path.of(System.getenv("POLLUX_PROGRAMS"), "loops.jfr");
        Files.deleteIfExists(recording);
        try (ServerProcess server = new ServerProcess("netty", List.of("-Xmx256m", Child.POLLUX,
                "-XX:StartFlightRecording:filename=" + recording + ",settings=default"),
                recording.resolveSibling("loops.log"))) {
            server.awaitStart();
            for (int connections : List.of(1, 3, SHOWN, 128)) {
                Thread.sleep(1000 * SECONDS_BETWEEN);
                load(server, connections);
            }
            Thread.sleep(1000 * SECONDS_BETWEEN);
        }
        System.out.print(Child.output(List.of(python, "-B", report + "/loops.py", folder.toString(),
                recording.toString())));
        return 0;
    }

    private void load(ServerProcess server, int connections) throws IOException, InterruptedException {
        try (Peers peers = new Peers("http")) {
            peers.open(server.port(), connections);
            Process screen = connections != SHOWN ? null : new ProcessBuilder(python, "-B", report + "/screen.py",
                    folder + "/top.svg", "122", "9", "5", Child.tool("java"), "-jar", System.getenv("POLLUX_TOOLS"),
                    "top", "" + server.pid())
                    .inheritIO().start();
            long[] figures = peers.run(SECONDS, 0, connections, 1);
            System.out.printf("%d connections: %.0f requests/s%n", connections, figures[0] * 1e9 / figures[1]);
            if (screen != null) {
                screen.waitFor();
            }
        }
    }
}
