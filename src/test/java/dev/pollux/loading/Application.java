// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;

/**
 * The programs of the tests as a module: {@code application}, in a folder. It may know Pollux or not.
 *
 * @param folder the module, for a module path
 */
record Application(Path folder) {
    static final String NAME = "application";

    /** Makes a module that requires nothing: its programs that use Pollux's classes don't run. */
    static Application unaware(Path folder) throws IOException {
        return in(folder, "");
    }

    /** Makes a module that requires Pollux's, and another. */
    static Application aware(Path folder) throws IOException {
        return in(folder, "requires dev.pollux; requires java.management;");
    }

    private static Application in(Path folder, String body) throws IOException {
        boolean compiles = ToolProvider.findFirst("javac").isPresent()
                && Files.exists(Path.of(System.getProperty("java.home"), "lib", "ct.sym")); // what --release needs
        assumeTrue(compiles, "a JRE compiles no module");
        Path programs = folder.resolve("dev/pollux/loading/program");
        Files.createDirectories(programs);
        try (DirectoryStream<Path> classes =
                Files.newDirectoryStream(PolluxJar.programs().resolve("dev/pollux/loading/program"))) {
            for (Path each : classes) {
                Files.copy(each, programs.resolve(each.getFileName().toString()));
            }
        }
        Path source = Files.writeString(folder.resolve("module-info.java"), "module " + NAME + " {" + body + "}");
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        assertEquals(0, javac.run(System.out, System.err, "--release", "17", "-p", PolluxJar.path().toString(),
                "-d", folder.toString(), source.toString()));
        return new Application(folder);
    }

    /** {@return what names a program of it to the launcher} */
    static String main(Class<?> program) {
        return NAME + '/' + program.getName();
    }
}
