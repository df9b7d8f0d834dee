// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many processes that leave a server no time, and users who ask it now and then. The processes end by themselves if
 * this one is killed. Not thread-safe.
 */
final class BusyProcesses implements AutoCloseable {
    private static final int PROCESSES = 50;
    private static final int LIFE_SECONDS = 600;
    private static final int USERS = 16;
    private static final long PAUSE_MILLIS = 100;

    /** A starved server takes its time. */
    private static final int PATIENCE_MILLIS = 60_000;

    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final List<Process> processes = new ArrayList<>();
    private final AtomicLong answers = new AtomicLong();

    /** Starts them. */
    BusyProcesses() throws IOException {
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(new ProcessBuilder("timeout", Integer.toString(LIFE_SECONDS), "sh", "-c",
                    "while :; do :; done").start());
        }
    }

    /** Asks the server at this port for some time. {@return how many answers came} */
    long ask(int port, int seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            Thread user = new Thread(() -> use(port, end), "user-" + i);
            user.start();
            users.add(user);
        }
        for (Thread user : users) {
            user.join();
        }
        return answers.get();
    }

    private void use(int port, long end) {
        while (System.nanoTime() < end) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                while (System.nanoTime() < end) {
                    socket.getOutputStream().write(REQUEST);
                    if (socket.getInputStream().read(new byte[8192]) < 0) {
                        break;
                    }
                    answers.incrementAndGet();
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (IOException notYet) {
                pause();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws InterruptedException {
        for (Process process : processes) {
            process.destroy();
        }
        for (Process process : processes) {
            process.waitFor();
        }
    }
}
