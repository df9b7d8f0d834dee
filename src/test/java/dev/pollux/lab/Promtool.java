// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prometheus' own checker, which Debian's package {@code prometheus} has. Where it is missing, the test is skipped. */
public final class Promtool {
    private Promtool() {
    }

    /** Fails if promtool finds fault with the text. */
    public static void assertAccepts(String text, String... command) throws Exception {
        assumeTrue(isInstalled(), "promtool is not installed");
        Path file = Files.createTempFile("pollux", ".promtool");
        try {
            Files.writeString(file, text);
            List<String> all = Stream.concat(Stream.of("promtool"), Stream.of(command)).collect(Collectors.toList());
            Process promtool = new ProcessBuilder(all).redirectInput(file.toFile()).redirectErrorStream(true).start();
            String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, promtool.waitFor(), () -> said + "\n" + text);
        } finally {
            Files.delete(file);
        }
    }

    private static boolean isInstalled() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, "promtool")));
    }
}
