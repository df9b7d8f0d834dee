// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lets strace watch system calls of one thread alone, the calling one if none is named, and make them fail if asked to,
 * until it is closed. Where strace is missing or may not attach, the test is skipped and says so.
 */
public final class Injection implements AutoCloseable {

    private final Process strace;
    private final BufferedReader messages;
    private final Path log;

    private Injection(String... options) throws Exception {
        this(Job.currentNativeId(), List.of(options));
    }

    private Injection(String thread, List<String> options) throws Exception {
        needed();
        log = Files.createTempFile("pollux", ".strace");
        List<String> command = Stream.concat(
                Stream.of("strace", "-p", thread, "-o", log.toString()), options.stream())
                .collect(Collectors.toList());
        strace = new ProcessBuilder(command).redirectErrorStream(true).start();
        messages = strace.inputReader();
        String answer = messages.readLine();
        if (answer == null || !answer.contains("attached")) {
            close();
            abort("strace cannot attach: " + answer);
        }
    }

    /** Skips a test that will need strace in another thread, where it could not be skipped. */
    public static void needed() {
        assumeTrue(Descriptors.PROC && isInstalled(), "strace is not installed");
    }

    /** Makes every call of {@code name} fail with {@code error}. */
    public static Injection failing(String name, String error) throws Exception {
        return failing(Job.currentNativeId(), name, error);
    }

    /** The same for a thread with this number, which the kernel has given it. */
    public static Injection failing(String thread, String name, String error) throws Exception {
        return new Injection(thread, List.of("-e", "trace=" + name, "-e", "inject=" + name + ":error=" + error));
    }

    /** Makes the next two calls of {@code name} fail with {@code error}, after a time in which they do nothing. */
    public static Injection failingTwice(String name, String error, Duration delay) throws Exception {
        return new Injection("-e", "trace=" + name, "-e", "inject=" + name + ":error=" + error
                + ":delay_enter=" + TimeUnit.NANOSECONDS.toMicros(delay.toNanos()) + ":when=1..2");
    }

    /** Makes the next call of {@code name} fail with {@code error}, and none after it. */
    public static Injection failingOnce(String name, String error) throws Exception {
        return failingOnce(name, error, 1);
    }

    /** Makes the nth call of {@code name} from now on fail with {@code error}. */
    public static Injection failingOnce(String name, String error, int nth) throws Exception {
        return new Injection("-e", "trace=" + name, "-e", "inject=" + name + ":error=" + error + ":when=" + nth);
    }

    /** Holds the next call of {@code name} up before it reaches the kernel, until {@link #calls} ends the watching. */
    public static Injection holding(String name) throws Exception {
        return new Injection("-e", "trace=" + name,
                "-e", "inject=" + name + ":delay_enter=" + TimeUnit.MINUTES.toMicros(10));
    }

    /** Writes the calls of the given names down. */
    public static Injection watching(String names) throws Exception {
        return new Injection("-e", "trace=" + names);
    }

    private static boolean isInstalled() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, "strace")));
    }

    /** Ends the watching and returns the calls that were seen, as strace prints them. */
    public List<String> calls() throws Exception {
        detach();
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("(")).collect(Collectors.toList());
        }
    }

    private void detach() throws IOException {
        strace.destroy();
        boolean interrupted = false;
        while (strace.isAlive()) {
            try {
                strace.waitFor(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        detach();
        messages.close();
        strace.getOutputStream().close();
        strace.getErrorStream().close();
        Files.deleteIfExists(log);
    }
}
