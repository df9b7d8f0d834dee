// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child VM to be started: its options are collected, then it runs to its end and what it printed is looked at. */
final class Vm {

    private static final long PATIENCE_SECONDS = 120;

    private final Path java;
    private final List<String> prefix = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private long patienceSeconds = PATIENCE_SECONDS;

    private Vm(Path java) {
        this.java = java;
    }

    static Vm on(Jdk jdk) {
        return on(jdk.java());
    }

    static Vm on(Path java) {
        return new Vm(java);
    }

    /** Runs the VM through another command, say a shell, that ends in {@code exec "$@"}. */
    Vm through(String... command) {
        Collections.addAll(prefix, command);
        return this;
    }

    Vm classPath(Path... entries) {
        List<String> names = new ArrayList<>();
        for (Path entry : entries) {
            names.add(entry.toString());
        }
        return with("-cp", String.join(File.pathSeparator, names));
    }

    Vm provider(String name) {
        return with("-Djava.nio.channels.spi.SelectorProvider=dev.pollux." + name);
    }

    Vm with(String... more) {
        Collections.addAll(options, more);
        return this;
    }

    /** How many seconds it may take. */
    Vm patience(long seconds) {
        patienceSeconds = seconds;
        return this;
    }

    Result run(Class<?> program, String... arguments) throws IOException, InterruptedException {
        return with(program.getName()).run(arguments);
    }

    Result run(String... arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile("vm", ".out");
        Path err = Files.createTempFile("vm", ".err");
        try {
            Process process = new ProcessBuilder(command(arguments))
                    .redirectOutput(out.toFile()).redirectError(err.toFile()).start();
            process.getOutputStream().close();
            if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                fail("the child VM did not end: " + Files.readString(out) + Files.readString(err));
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(java.toString());
        if (java.endsWith("java")) { // and not a tool or a launcher
            command.add("-XX:TieredStopAtLevel=1"); // most end before the second compiler would pay
        }
        command.addAll(options);
        Collections.addAll(command, arguments);
        return command;
    }

    /** What a VM left behind. */
    record Result(int exit, String out, String err) {

        Result succeeds() {
            assertEquals(0, exit, this::toString);
            return this;
        }

        Result fails() {
            assertEquals(1, exit, this::toString);
            return this;
        }

        Result says(String... parts) {
            for (String part : parts) {
                assertTrue(out.contains(part), () -> "should say \"" + part + "\": " + this);
            }
            return this;
        }

        Result warns(String part) {
            assertTrue(err.contains(part), () -> "should warn \"" + part + "\": " + this);
            return this;
        }

        Result warnsOfNothing() {
            assertEquals("", err);
            return this;
        }
    }
}
