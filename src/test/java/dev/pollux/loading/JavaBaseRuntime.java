// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;

/** A runtime that holds the module java.base and nothing else. */
final class JavaBaseRuntime {
    private JavaBaseRuntime() {
    }

    /** {@return its java command} */
    static Path linkedIn(Path folder) {
        Path home = Path.of(System.getProperty("java.home"));
        assumeTrue(Files.exists(home.resolve("bin/jlink")), "a JRE links no runtime");
        Path runtime = folder.resolve("runtime");
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        assertEquals(0, jlink.run(System.out, System.err,
                "--add-modules", "java.base", "--output", runtime.toString()));
        return runtime.resolve("bin/java");
    }
}
