// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.tools.common.JavaCommand;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A virtual machine that runs a {@link Worker}. Used by one thread. */
final class WorkerProcess implements Closeable {
    /** System properties that the user may have set for this program, and that concern its workers, too. */
    private static final List<String> INHERITED = List.of("dev.pollux.library.path", "dev.pollux.tmpdir",
            "java.io.tmpdir", SocketCalls.PROPERTY);

    private final Process process;
    private final BufferedReader answers;
    private final OutputStream commands;

    /** The class of its selectors. */
    final String selectorClass;

    /** The keys of its largest selector. */
    final int maxReady;

    /** Whose native methods its sockets use, and why. */
    final String socketCalls;

    /** Whether it makes batches, and if not, why. */
    final String batches;

    /** What one operation takes: time, and allocated bytes, which are negative if they could not be counted. */
    record Measurement(double nanos, double bytes) {
    }

    /** Starts a virtual machine with these options. */
    WorkerProcess(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(JavaCommand.properties(INHERITED::contains));
        if (Runtime.version().feature() >= 24) {
            all.add("--enable-native-access=ALL-UNNAMED"); // else it warns
        }
        process = new ProcessBuilder(JavaCommand.of(Worker.class, all)).start();
        answers = process.inputReader(StandardCharsets.US_ASCII);
        commands = process.getOutputStream();
        try {
            String[] first = answer().split(" ");
            selectorClass = first[0];
            maxReady = Integer.parseInt(first[1]);
            socketCalls = answer();
            batches = answer();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Has it repeat a case for this time. */
    Measurement measure(String name, long millis) throws IOException {
        commands.write((name + ' ' + millis + '\n').getBytes(StandardCharsets.US_ASCII));
        commands.flush();
        String[] parts = answer().split(" ");
        return new Measurement(Double.parseDouble(parts[0]), Double.parseDouble(parts[1]));
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            throw new IOException("the virtual machine that measures has ended: " + error);
        }
        return line;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
