// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code java -jar pollux-tools.jar}: all it needs is inside. {@code MainTest} has command lines and exit codes. */
class ToolsIT {
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void diagnoseSaysWhatPolluxFinds(Jdk jdk) throws Exception {
        ToolsJar.run(Vm.on(jdk), "diagnose").succeeds().warnsOfNothing()
                .says("mechanisms:      epoll, poll (best first)", "a selector opens, selects and wakes up");
    }

    @Test
    void diagnoseFailsWherePolluxDoesNotWork() throws Exception {
        ToolsJar.run(Vm.on(Jdk.running()).with("-Ddev.pollux.library.path=/nowhere"), "diagnose").fails()
                .says("failure:");
    }

    @Test
    void anUnknownCommandIsToldWhichThereAre() throws Exception {
        Vm.Result result = ToolsJar.run(Vm.on(Jdk.running()), "unpack");
        assertEquals(2, result.exit(), result::toString);
        result.warns("'unpack'").warns("  extract  ").warns("  top  ").warns("  diagnose  ");
    }

    /** The process that top looks at gets the jar on its class path. */
    @Test
    void noClassIsInAPackageOfOthers() throws IOException {
        try (JarFile jar = new JarFile(ToolsJar.path())) {
            assertTrue(jar.stream().filter(entry -> entry.getName().endsWith(".class"))
                    .allMatch(entry -> entry.getName().startsWith("dev/pollux/")));
        }
    }
}
