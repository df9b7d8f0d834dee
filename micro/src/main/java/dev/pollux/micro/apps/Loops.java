// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.contest.Peers;
import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Draws what {@code top} shows of the loops of Netty on Pollux under load. Used by one thread. */
@Command(name = "loops", mixinStandardHelpOptions = true, description = "Draws what top shows of Netty's loops.")
public final class Loops implements Callable<Integer> {
    private static final int CONNECTIONS = 16;
    private static final int SECONDS = 8;

    @Parameters(arity = "0..1", paramLabel = "FOLDER", defaultValue = "${env:POLLUX_DOCS}",
            description = "where the picture goes (default: docs)")
    private Path folder;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path log = Path.of(System.getenv("POLLUX_PROGRAMS"), "loops.log");
        try (ServerProcess server = new ServerProcess("netty", List.of("-Xmx256m", Child.POLLUX), log);
                Peers peers = new Peers("http")) {
            server.awaitStart();
            peers.open(server.port(), CONNECTIONS);
            Process screen = new ProcessBuilder(System.getenv("POLLUX_PYTHON"), "-B",
                    System.getenv("POLLUX_REPORT") + "/screen.py", folder + "/top.svg", "122", "9", "5",
                    Child.tool("java"), "-jar", System.getenv("POLLUX_TOOLS"), "top", "" + server.pid())
                    .inheritIO().start();
            peers.run(SECONDS, 0, CONNECTIONS, 1);
            return screen.waitFor();
        }
    }
}
