// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.loading.program.Probe;
import java.nio.file.Path;
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
        java = JavaBaseRuntime.linkedIn(folder);
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
}
