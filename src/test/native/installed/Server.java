// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** One of the examples that echo over TCP, on a free port, until closed. Not thread-safe. */
final class Server implements AutoCloseable {
    private static final int ATTEMPTS = 50;
    private static final int PATIENCE_MILLIS = 60_000;

    private final Process process;
    private final int port;

    private Server(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts it. Another program may take the port that was free, hence several attempts. */
    static Server start(Library library, Library.Kind kind, Path program, String mechanism, Path log)
            throws IOException, InterruptedException {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = freePort();
            ProcessBuilder builder = library.running(kind, program, port, mechanism).builder;
            Server server = new Server(builder.redirectOutput(log.toFile()).start(), port);
            while (server.process.isAlive()) {
                try {
                    server.connect().close();
                    return server;
                } catch (IOException notYet) {
                    Thread.sleep(10);
                }
            }
            if (!Files.readString(log).contains("Address already in use")) {
                break;
            }
        }
        throw new AssertionError(program + " does not start:\n" + Files.readString(log));
    }

    static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    /** Waits until it has had no processor time for a fifth of a second: words 14 and 15 in proc(5). */
    void awaitRest() throws IOException, InterruptedException {
        String before = "";
        for (int i = 0; i < 2 * ATTEMPTS; i++) {
            String[] words = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat")).split(" ");
            String now = String.join(" ", Arrays.asList(words).subList(13, 15));
            if (now.equals(before)) {
                return;
            }
            before = now;
            Thread.sleep(200);
        }
        throw new AssertionError("it does not come to rest");
    }

    /** Asks it to end, and expects that it ends well. */
    void end() throws InterruptedException {
        process.destroy();
        Checks.expectEqual(0, process.waitFor());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
