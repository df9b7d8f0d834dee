// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A virtual machine that answers lines with lines, and writes what else it says to a file. Not thread-safe. */
final class Child implements AutoCloseable {
    private final Process process;
    private final PrintWriter questions;
    private final BufferedReader answers;
    private final Path log;

    /** Arguments: what the java command gets between its own name and the class path, and after it. */
    Child(String classPath, List<String> options, List<String> rest, Path log) throws IOException {
        this.log = log;
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(rest);
        process = new ProcessBuilder(command).directory(log.getParent().toFile()).redirectError(log.toFile()).start();
        questions = new PrintWriter(process.outputWriter(), true);
        answers = process.inputReader();
    }

    String ask(String line) throws IOException {
        questions.println(line);
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("no answer to " + line + ", only:\n" + Files.readString(log));
        }
        return answer;
    }

    long[] askNumbers(String line) throws IOException {
        String[] words = ask(line).split(" ");
        long[] numbers = new long[words.length];
        for (int i = 0; i < words.length; i++) {
            numbers[i] = Long.parseLong(words[i]);
        }
        return numbers;
    }

    long pid() {
        return process.pid();
    }

    /** What it wrote to its log, for messages. */
    String said() throws IOException {
        return Files.readString(log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
