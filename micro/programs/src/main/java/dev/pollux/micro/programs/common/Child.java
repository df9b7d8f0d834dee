// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.common;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A virtual machine with this one's java and class path, that answers each line on its standard input with one on its
 * standard output. What it writes to standard error is shown when it ends too early. Not thread-safe.
 */
public final class Child implements AutoCloseable {
    private final Process process;
    private final PrintWriter questions;
    private final BufferedReader answers;
    private final Path log = Files.createTempFile("pollux-program-", ".log");

    /** Arguments: options of the java command, the class with {@code main}, what that gets. */
    public Child(List<String> options, Class<?> main, String... args) throws IOException {
        log.toFile().deleteOnExit();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(args));
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        questions = new PrintWriter(process.outputWriter(), true);
        answers = process.inputReader();
    }

    /** The system property that makes a class the provider of a virtual machine's selectors. */
    public static String provider(String name) {
        return "-Djava.nio.channels.spi.SelectorProvider=" + name;
    }

    /** Options of the java command that spare warnings: newer JDKs warn of native libraries, older ones know no option. */
    public static List<String> quiet() {
        return Runtime.version().feature() < 24 ? List.of() : List.of("--enable-native-access=ALL-UNNAMED");
    }

    /** One question, one line. */
    public String ask(String line) throws IOException {
        questions.println(line);
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("no answer to \"" + line + "\", only:\n" + said());
        }
        return answer;
    }

    /** What it has written to standard error, for messages. */
    public String said() throws IOException {
        return Files.readString(log);
    }

    /** The process, for /proc. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
