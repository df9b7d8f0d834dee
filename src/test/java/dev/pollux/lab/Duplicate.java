// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeUnit;

/**
 * A second descriptor of a channel's open file, held by another process (man pidfd_getfd), until it is closed.
 * With it the kernel keeps the file, and every registration of it, alive after the channel was closed.
 */
public final class Duplicate implements AutoCloseable {

    /** The numbers of pidfd_open and pidfd_getfd are the same on every architecture. */
    private static final String HOLD = """
            my ($pid, $fd) = @ARGV;
            my $process = syscall(434, $pid + 0, 0);
            my $copy = syscall(438, $process, $fd + 0, 0);
            $| = 1;
            print $copy >= 0 ? "held\\n" : "error $!\\n";
            <STDIN>;
            """;

    private final Process holder;

    private Duplicate(int number) throws IOException {
        holder = new ProcessBuilder("perl", "-e", HOLD,
                Long.toString(ProcessHandle.current().pid()), Integer.toString(number))
                .redirectErrorStream(true).start();
    }

    /** Skips the test where a process may not look into its parent. */
    public static Duplicate of(SelectableChannel channel) throws Exception {
        Duplicate duplicate = new Duplicate(Descriptors.numberOf(channel));
        BufferedReader answers = duplicate.holder.inputReader();
        String answer = answers.readLine();
        if (!"held".equals(answer)) {
            duplicate.close();
            abort("no duplicate by pidfd_getfd: " + answer);
        }
        return duplicate;
    }

    public boolean isHeld() {
        return holder.isAlive();
    }

    @Override
    public void close() throws IOException {
        holder.getOutputStream().close();
        try {
            holder.waitFor(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        holder.destroyForcibly();
        holder.getInputStream().close();
        holder.getErrorStream().close();
    }
}
