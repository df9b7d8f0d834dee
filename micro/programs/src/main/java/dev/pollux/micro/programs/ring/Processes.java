// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.ring;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;

/** Runs programs that end by themselves, and reads what they print. Stateless. */
final class Processes {
    static final Gson JSON = new GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    private Processes() { }

    /** What the program wrote to standard output; its standard error is ours. */
    static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + status);
            }
            return output;
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            process.destroy();
        }
    }

    static Sample sample(List<String> command) throws IOException {
        return JSON.fromJson(output(command), Sample.class);
    }
}
