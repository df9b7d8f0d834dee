// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mechanism more is a C file and a row of {@code PLX_MECHANISMS}: the selector and the tools run on it then. */
class AddedMechanismIT {
    private static final String ROW = "    PLX_ON_UNIX(EACH(plx_%1$s, \"%1$s\"))";

    @TempDir
    Path folder;

    @Test
    void aFileAndARowAreEnough() throws Exception {
        assumeTrue(exit("make", "--version") == 0, "there is no make here");
        Path copy = folder.resolve("native");
        assertEquals(0, exit("cp", "-r", "src/main/native", copy.toString()));
        Path mechanisms = copy.resolve("mechanism");
        Files.writeString(mechanisms.resolve("added.c"), Files.readString(mechanisms.resolve("poll.c"))
                .replace("plx_poll", "plx_added").replace("change_call = \"poll\"", "change_call = \"added\""));
        addRow(mechanisms.resolve("mechanism.h"));
        assertEquals(0, exit("make", "-C", copy.toString(), "VERSION=1.2.3", "OUT=" + folder, "NATIVE=" + folder,
                "JAVA_HOME=" + System.getProperty("java.home"), "BUILD=" + PolluxJar.build()));

        run("diagnose").succeeds().says("mechanisms:      epoll, added, poll (best first)",
                "added:           features: ", "a selector opens, selects and wakes up");
        run("check", "--mechanism", "added").succeeds().says("added      connect", " 0 failed, ");
    }

    private static void addRow(Path header) throws IOException {
        String before = Files.readString(header);
        String poll = String.format(ROW, "poll");
        String after = before.replace(poll, String.format(ROW, "added") + " \\\n" + poll);
        assertEquals(before.lines().count() + 1, after.lines().count(), before);
        Files.writeString(header, after);
    }

    private Vm.Result run(String command, String... arguments) throws IOException, InterruptedException {
        return ToolsJar.run(Vm.on(Jdk.running()).with("-Ddev.pollux.library.path=" + folder), command, arguments);
    }

    private static int exit(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    }
}
