// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process that answers each line on its standard input with one on its standard output. What it writes to standard
 * error goes to a file, for messages. Not thread-safe.
 */
public class Child implements AutoCloseable {
    private final Process process;
    private final PrintWriter questions;
    private final BufferedReader answers;
    private final Path log;

    /** Starts a command with a temporary file for its standard error. */
    public Child(List<String> command) throws IOException {
        this(null, temporary(), command);
    }

    /** Starts a command in a folder, or in this process's if that is null. */
    public Child(File directory, Path log, List<String> command) throws IOException {
        this.log = log;
        process = new ProcessBuilder(command).directory(directory).redirectError(log.toFile()).start();
        questions = new PrintWriter(process.outputWriter(), true);
        answers = process.inputReader();
    }

    /** The command of a program that is compiled from C: the scripts say where it is. */
    public static String program(String name) {
        return Path.of(System.getenv("POLLUX_PROGRAMS"), name).toString();
    }

    private static Path temporary() throws IOException {
        Path file = Files.createTempFile("pollux-micro-", ".log");
        file.toFile().deleteOnExit();
        return file;
    }

    /** Sends one line and returns the line that answers it. */
    public String ask(String line) throws IOException {
        questions.println(line);
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("no answer to \"" + line + "\"; standard error:\n" + standardError());
        }
        return answer;
    }

    /** Asks for numbers that are separated by spaces. */
    public long[] askNumbers(String line) throws IOException {
        return Stream.of(ask(line).split(" ")).mapToLong(Long::parseLong).toArray();
    }

    /** What it has written to its standard error, for messages. */
    public String standardError() throws IOException {
        return Files.readString(log);
    }

    /** Whether it still runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The process identifier. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
