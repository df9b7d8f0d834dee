// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.internal.tool.JavaCommand;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A {@link Worker} in its virtual machine, and what it says. Used by one thread. */
final class Colleague implements Closeable {
    /** What the user may have set for this program concerns the others, too. */
    private static final List<String> OURS = List.of("dev.pollux.library.path", "dev.pollux.tmpdir", "java.io.tmpdir",
            SocketCalls.PROPERTY);

    private final Process process;
    private final BufferedReader answers;
    private final OutputStream orders;

    /** The class of its selectors. */
    final String selectorClass;

    /** How many keys the case with most of them has. */
    final int mostReady;

    /** Whose native methods its sockets use, and why. */
    final String socketCalls;

    /** Whether it makes batches, and if not, why. */
    final String batches;

    /**
     * What it has measured.
     *
     * @param nanos of one operation
     * @param bytes of one operation; negative if they could not be counted
     */
    record Measurement(double nanos, double bytes) {
    }

    /** Starts one whose virtual machine has these options more. */
    Colleague(List<String> options) throws IOException {
        List<String> all = new ArrayList<>(options);
        for (String name : OURS) {
            if (System.getProperty(name) != null) {
                all.add("-D" + name + '=' + System.getProperty(name));
            }
        }
        if (Runtime.version().feature() >= 24) {
            all.add("--enable-native-access=ALL-UNNAMED"); // else it warns
        }
        process = new ProcessBuilder(JavaCommand.of(Worker.class, all)).start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        orders = process.getOutputStream();
        try {
            String[] first = answer().split(" ");
            selectorClass = first[0];
            mostReady = Integer.parseInt(first[1]);
            socketCalls = answer();
            batches = answer();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Has it repeat a case for so long. */
    Measurement measure(String name, long millis) throws IOException {
        orders.write((name + ' ' + millis + '\n').getBytes(StandardCharsets.US_ASCII));
        orders.flush();
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
