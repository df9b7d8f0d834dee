// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;

/** Runs commands that end by themselves. Stateless. */
public final class Command {
    private Command() {
    }

    /**
     * Runs a command to its end. Its standard error is this process's.
     *
     * @return what it wrote to standard output
     * @throws IOException if it could not be started, or did not end with 0
     */
    public static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + status + ": " + output);
            }
            return output;
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            process.destroy();
        }
    }
}
