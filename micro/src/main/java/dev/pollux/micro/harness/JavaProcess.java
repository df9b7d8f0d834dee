// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A virtual machine with this one's java command. It answers each line on its standard input with one on its standard
 * output. What it writes to standard error goes to a file, for messages. Not thread-safe.
 */
public final class JavaProcess implements AutoCloseable {
    private final Process process;
    private final PrintWriter questions;
    private final BufferedReader answers;
    private final Path log;

    /** Starts it with a temporary file for its standard error; see {@link #command} for the arguments. */
    public JavaProcess(List<String> options, Class<?> main, String... args) throws IOException {
        this(null, temporary(), command(options, main, args));
    }

    /** Starts it in the folder of the file that its standard error goes to; see {@link #command} for the rest. */
    public JavaProcess(Path log, List<String> options, Class<?> main, String... args) throws IOException {
        this(log.toAbsolutePath().getParent().toFile(), log, command(options, main, args));
    }

    private JavaProcess(File directory, Path log, List<String> command) throws IOException {
        this.log = log;
        process = new ProcessBuilder(command).directory(directory).redirectError(log.toFile()).start();
        questions = new PrintWriter(process.outputWriter(), true);
        answers = process.inputReader();
    }

    private static Path temporary() throws IOException {
        Path file = Files.createTempFile("pollux-micro-", ".log");
        file.toFile().deleteOnExit();
        return file;
    }

    /**
     * The command line of a virtual machine with this one's class path.
     *
     * @param options of the java command; a class path among them replaces this one's
     * @param main the class with {@code main}
     * @param args what {@code main} is given
     */
    public static List<String> command(List<String> options, Class<?> main, String... args) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(args));
        return command;
    }

    /** The system property that makes a class the provider of a virtual machine's selectors. */
    public static String provider(String name) {
        return "-Djava.nio.channels.spi.SelectorProvider=" + name;
    }

    /** Options that avoid warnings: JDK 24 and later warn when a native library is loaded. */
    public static List<String> quiet() {
        return Runtime.version().feature() < 24 ? List.of() : List.of("--enable-native-access=ALL-UNNAMED");
    }

    /** Ends all children of this process when it exits, so that an interrupted run leaves none behind. */
    public static void endAllOnExit() {
        Runtime.getRuntime().addShutdownHook(
                new Thread(() -> ProcessHandle.current().children().forEach(ProcessHandle::destroy)));
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
