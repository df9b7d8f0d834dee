// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.loading.program.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A runtime that holds the module java.base and nothing else is enough. */
class JlinkedRuntimeIT {

    @TempDir
    static Path folder;

    private static Path java;

    @BeforeAll
    static void link() {
        Path home = Path.of(System.getProperty("java.home"));
        assumeTrue(Files.exists(home.resolve("bin/jlink")), "a JRE links no runtime");
        Path runtime = folder.resolve("runtime");
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        assertEquals(0, jlink.run(System.out, System.err,
                "--add-modules", "java.base", "--output", runtime.toString()));
        java = runtime.resolve("bin/java");
    }

    @Test
    void theRuntimeHasNoOtherModule() throws Exception {
        assertEquals(1, Vm.on(java).run("--list-modules").succeeds().out().lines().count());
    }

    @Test
    void thePropertyAloneIsEnough() throws Exception {
        Vm.on(java).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .run(Probe.class).succeeds().says("one identity true", "selected 1");
    }

    @Test
    void theDiagnosisWorks() throws Exception {
        Vm.on(java).run("-jar", PolluxJar.path().toString()).succeeds().says("opened by the native library");
    }

    @Test
    void topCannotRunOnItAndSaysSo() throws Exception {
        Vm.on(java).run("-jar", PolluxJar.path().toString(), "top").fails().warns("has no module jdk.attach");
    }

    @Test
    void topCannotLookAtAServerOnItAndSaysSo() throws Exception {
        try (Server server = Server.on(java,
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider")) {
            Vm.on(Jdk.running()).run("-jar", PolluxJar.path().toString(), "top", Long.toString(server.pid()), "--once")
                    .fails().warns("java.instrument");
            assertTrue(server.isAlive());
        }
    }
}
