// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.loading.program.BusyServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@link BusyServer}, or another program that serves as it does, in a virtual machine of its own. */
final class Server implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 10_000;

    private final Process process;
    private final Path errors;
    private final BufferedReader out;
    private final Writer in;

    private Server(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        out = process.inputReader();
        in = process.outputWriter();
    }

    /** Starts one with the jar on its class path, and returns when it serves. */
    static Server on(Path java, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("-cp",
                PolluxJar.path() + File.pathSeparator + PolluxJar.programs()));
        all.addAll(List.of(options));
        all.add(BusyServer.class.getName());
        return started(java, all.toArray(String[]::new));
    }

    /** The same, with a limit of descriptors. */
    static Server limitedTo(int descriptors, Path java, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("-c", "ulimit -n " + descriptors + "; exec \"$0\" \"$@\"",
                java.toString(), "-cp", PolluxJar.path() + File.pathSeparator + PolluxJar.programs()));
        all.addAll(List.of(options));
        all.add(BusyServer.class.getName());
        return started(Path.of("sh"), all.toArray(String[]::new));
    }

    /** Starts one by a whole command line, and returns when it serves. */
    static Server started(Path program, String... arguments) throws IOException {
        Path errors = Files.createTempFile("server", ".err");
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Server server = new Server(new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
        assertEquals("serving", server.out.readLine(), server::errors);
        return server;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return whether it has loaded our native library} */
    boolean isOnPollux() throws IOException {
        return Files.readString(Path.of("/proc/" + pid() + "/maps"), StandardCharsets.ISO_8859_1)
                .contains("libpollux-jni");
    }

    /** {@return the names of its threads} */
    Set<String> threads() {
        return new TreeSet<>(List.of(ask("threads").split(",")));
    }

    /** Has it use all its descriptors but this number. */
    void fill(int left) {
        assertEquals("full", ask("fill " + left));
    }

    /** {@return the line with which it answers this one} */
    String ask(String question) {
        try {
            in.write(question + '\n');
            in.flush();
            return out.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until its threads are these; false if that takes too long. */
    boolean comesToRun(Set<String> threads) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!threads().equals(threads)) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(10);
        }
        return true;
    }

    /** {@return how many sockets it has open} */
    long sockets() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
            return descriptors.filter(Server::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException closed) {
            return false;
        }
    }

    /** {@return what it has printed to its standard error} */
    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal. Each shell can; the program {@code kill} is missing on a minimal Debian. */
    void signal(String name) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("sh", "-c", "kill -" + name + ' ' + pid()).start().waitFor());
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        Files.deleteIfExists(errors);
    }
}
