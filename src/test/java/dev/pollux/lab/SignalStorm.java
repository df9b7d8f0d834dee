// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Another process that sends a signal every 200 µs or so, until it is closed, to one or several threads in turn. It is
 * the signal with which the JDK's own channels interrupt blocked threads: its handler does nothing and restarts no
 * system call.
 */
public final class SignalStorm implements AutoCloseable {

    private static final int SIGNAL = 62;

    /** Ends when its input ends, so it cannot outlive this process. Forgets threads that have ended. */
    private static final String SEND = """
            my ($call, $pid, $signal, @threads) = @ARGV;
            $| = 1;
            print "raging\\n";
            my $in = '';
            vec($in, fileno(STDIN), 1) = 1;
            while (1) {
                if (select(my $ready = $in, undef, undef, 0.0001)) {
                    sysread(STDIN, my $more, 4096) or last;
                    push @threads, split ' ', $more;
                }
                my $thread = shift @threads or next;
                push @threads, $thread if syscall($call + 0, $pid + 0, $thread + 0, $signal + 0) == 0;
            }
            """;

    private final Process sender;

    private SignalStorm(String... threads) throws Exception {
        assumeTrue(Descriptors.PROC, "the signals are Linux's");
        assertEquals(true, isHandled(), "the virtual machine handles signal " + SIGNAL);
        List<String> command = new ArrayList<>(List.of("perl", "-e", SEND, tgkill(),
                Long.toString(ProcessHandle.current().pid()), Integer.toString(SIGNAL)));
        command.addAll(List.of(threads));
        sender = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertEquals("raging", sender.inputReader().readLine());
    }

    public static SignalStorm againstThisThread() throws Exception {
        return new SignalStorm(Job.currentNativeId());
    }

    /** Against those threads that join. */
    public static SignalStorm start() throws Exception {
        return new SignalStorm();
    }

    /** From now on the calling thread gets signals too. */
    public synchronized void addThisThread() throws Exception {
        sender.getOutputStream().write((Job.currentNativeId() + ' ').getBytes(StandardCharsets.US_ASCII));
        sender.getOutputStream().flush();
    }

    public boolean isRaging() {
        return sender.isAlive();
    }

    /** Looks the signal up in the mask of handled ones (man proc, SigCgt). */
    private static boolean isHandled() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("SigCgt:")) {
                return new BigInteger(line.substring(7).strip(), 16).testBit(SIGNAL - 1);
            }
        }
        return false;
    }

    private static String tgkill() {
        return System.getProperty("os.arch").equals("amd64") ? "234" : "131";
    }

    @Override
    public void close() throws IOException {
        sender.getOutputStream().close();
        try {
            sender.waitFor(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sender.destroyForcibly();
        sender.getInputStream().close();
        sender.getErrorStream().close();
    }
}
