// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code java -jar pollux-tools.jar top}, when the process that it looks at has used its descriptors. */
class TopAtFileLimitIT {
    private static final String PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider";
    private static final int LIMIT = 100;

    private Server server;

    @AfterEach
    void end() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void itSaysThatNoDescriptorIsLeftAndWhatToDo(Jdk jdk) throws Exception {
        server = Server.limitedTo(LIMIT, jdk.java(), PROVIDER);
        Set<String> threads = server.threads();
        server.fill(0);
        // "all", or one less: a thread of ours that looked for room at that moment has given one back
        top(jdk).fails().warns("process " + server.pid() + ": it has used ").warns("of its " + LIMIT + " descriptors")
                .warns("ls -l /proc/" + server.pid() + "/fd").warns("ulimit -n");
        assertEquals(threads, server.threads()); // and it was not made to print their stacks
    }

    /** The Attach API says "Connection reset by peer", or that the agent could not be initialised. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void itSaysSoWhereTooFewAreLeftToAttach(Jdk jdk) throws Exception {
        server = Server.limitedTo(LIMIT, jdk.java(), PROVIDER);
        server.fill(2); // for the Attach API's two sockets
        top(jdk).fails().warns("it has used").warns("of its " + LIMIT + " descriptors");
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void itGoesOnWhenTheLimitIsReachedLater(Jdk jdk) throws Exception {
        server = Server.limitedTo(LIMIT, jdk.java(), PROVIDER);
        Process top = new ProcessBuilder(jdk.java().toString(), "-jar", ToolsJar.path(), "top",
                Long.toString(server.pid()), "--json", "--stack").start();
        try (BufferedReader out = top.inputReader()) {
            assertEquals("echo", JsonReader.read(out.readLine(), "loops", 0, "thread"));
            server.fill(0);
            for (int seconds = 0; seconds < 3; seconds++) {
                String line = out.readLine();
                assertTrue(JsonReader.read(line, "loops", 0, "stack", 0) instanceof String, line);
                assertTrue((double) JsonReader.read(line, "loops", 0, "selectionsPerSecond") > 0, line);
            }
        } finally {
            top.destroyForcibly();
        }
    }

    private Vm.Result top(Jdk jdk) throws Exception {
        return ToolsJar.run(Vm.on(jdk), "top", Long.toString(server.pid()), "--once");
    }
}
