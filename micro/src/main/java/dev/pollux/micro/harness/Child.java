// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that answers each line on its standard input with one on its standard output. What it writes to standard
 * error goes to a file, for messages. Static methods have the command lines, and run commands that end by themselves.
 * Not thread-safe.
 */
public class Child implements AutoCloseable {
    /** The system property that makes Pollux the provider of a virtual machine's selectors. */
    public static final String POLLUX = provider("dev.pollux.PolluxSelectorProvider");

    /** A line of the heap's histogram: number, instances, bytes, class. Nested classes are not selectors. */
    private static final Pattern SELECTOR = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+"
            + "((?:sun\\.nio\\.ch|dev\\.pollux)\\.[\\w.]*Selector(?:Impl)?)\\b(?!\\$).*");

    private final Process process;
    private final PrintWriter questions;
    private final BufferedReader answers;
    private final Path log;

    /** Starts a command with a temporary file for its standard error. */
    public Child(List<String> command) throws IOException {
        this(Files.createTempFile("pollux-micro-", ".log"), command);
        log.toFile().deleteOnExit();
    }

    /** Starts a command in the folder of the file that its standard error goes to. */
    public Child(Path log, List<String> command) throws IOException {
        this.log = log;
        process = new ProcessBuilder(command).directory(log.toAbsolutePath().getParent().toFile())
                .redirectError(log.toFile()).start();
        questions = new PrintWriter(process.outputWriter(), true);
        answers = process.inputReader();
    }

    /** The path of a program that is compiled from C: the script says where it is. */
    public static String program(String name) {
        return Path.of(System.getenv("POLLUX_PROGRAMS"), name).toString();
    }

    /** The path of a program of this JDK. */
    public static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /**
     * The command line of a virtual machine of this JDK with this one's class path.
     *
     * @param options of the java command; a class path among them replaces this one's
     * @param main the class with {@code main}
     * @param args what {@code main} is given
     */
    public static List<String> java(List<String> options, Class<?> main, String... args) {
        return java(options, main.getName(), args);
    }

    /** The same for a class that is on the class path of these options alone. */
    public static List<String> java(List<String> options, String main, String... args) {
        List<String> command = new ArrayList<>(List.of(tool("java"), "-cp", System.getProperty("java.class.path")));
        if (Runtime.version().feature() >= 24) {        // they warn when a native library is loaded
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(options);
        command.add(main);
        command.addAll(List.of(args));
        return command;
    }

    /** The system property that makes a class the provider of a virtual machine's selectors. */
    public static String provider(String name) {
        return "-Djava.nio.channels.spi.SelectorProvider=" + name;
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

    /** The classes of all live selectors of a virtual machine, each with the number of its instances, sorted. */
    public List<String> selectors() throws IOException {
        // A headless JRE of Debian has no bin/jcmd, but it has the module that jcmd runs.
        return output(List.of(tool("java"), "-m", "jdk.jcmd/sun.tools.jcmd.JCmd", "" + pid(), "GC.class_histogram"))
                .lines().map(SELECTOR::matcher).filter(Matcher::matches)
                .map(line -> line.group(2) + " x" + line.group(1)).sorted().toList();
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
