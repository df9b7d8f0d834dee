// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;

/** A small file system of its own, mounted for one test; the test is skipped where nobody lets us mount one. */
record Mount(Path folder) implements AutoCloseable {

    static Mount with(Path folder, String options) throws IOException, InterruptedException {
        assumeTrue(mount("-t", "tmpfs", "-o", options, "tmpfs", folder.toString()) == 0,
                "mounting a file system needs root");
        return new Mount(folder);
    }

    private static int mount(String... arguments) throws IOException, InterruptedException {
        return run("mount", arguments);
    }

    private static int run(String command, String... arguments) throws IOException, InterruptedException {
        String[] line = new String[arguments.length + 1];
        line[0] = command;
        System.arraycopy(arguments, 0, line, 1, arguments.length);
        return new ProcessBuilder(line).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    }

    @Override
    public void close() throws IOException {
        try {
            assertEquals(0, run("umount", folder.toString()), "umount " + folder);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
