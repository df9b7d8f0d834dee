// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A thread, one system call of which strace makes fail, or return a number without having done anything. */
final class Faults implements AutoCloseable {

    /** What a line begins with if strace may not attach; the test is skipped then. */
    static final String UNAVAILABLE = "strace cannot attach: ";

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final String nativeId;

    Faults() throws Exception {
        nativeId = thread.submit(() -> Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString())
                .get();
    }

    /** Without a fault: classes that the call needs are loaded, by system calls of the same name. */
    String warmUp(Transcript.Call call) throws Exception {
        return thread.submit(() -> Transcript.outcome(call)).get();
    }

    /**
     * Takes the names of system calls, of which those before the last one are told to try again, and what the last one
     * does: {@code error=EIO} or {@code retval=3}. Where the JDK makes one and its replacement another, both are named:
     * {@code read|recvfrom}.
     */
    String make(Transcript.Call call, String names, String fault) throws Exception {
        List<String> command = new ArrayList<>(List.of("strace", "-p", nativeId, "-o", "/dev/null", "-e",
                "trace=" + names.replace('|', ',')));
        String[] name = names.split(",");
        for (int i = 0; i < name.length; i++) {
            for (String either : name[i].split("\\|")) {
                command.add("-e");
                command.add("inject=" + either + ":" + (i + 1 < name.length ? "error=EAGAIN" : fault) + ":when=1");
            }
        }
        Process strace = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader messages = strace.inputReader()) {
            String answer = messages.readLine();
            if (answer == null || !answer.contains("attached")) {
                throw new IOException(UNAVAILABLE + answer);
            }
            Future<String> outcome = thread.submit(() -> Transcript.outcome(call));
            return outcome.get();
        } finally {
            strace.destroy();
            strace.waitFor();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
