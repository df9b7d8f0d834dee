// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code top} where a runtime has the module java.base alone. */
class TopOnSmallRuntimeIT {
    @TempDir
    private static Path folder;

    private static Path java;

    @BeforeAll
    static void link() {
        java = JavaBaseRuntime.linkedIn(folder);
    }

    @Test
    void topCannotRunOnItAndSaysSo() throws Exception {
        ToolsJar.run(Vm.on(java), "top").fails().warns("has no module jdk.attach");
    }

    @Test
    void topCannotLookAtAServerOnItAndSaysSo() throws Exception {
        try (Server server = Server.on(java,
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider")) {
            ToolsJar.run(Vm.on(Jdk.running()), "top", Long.toString(server.pid()), "--once").fails()
                    .warns("java.instrument");
            assertTrue(server.isAlive());
        }
    }
}
