// SPDX-License-Identifier: Apache-2.0
import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A server in a virtual machine of its own, to which the kernel refuses registrations. Not thread-safe. */
final class Server extends Child {
    /** What refuse.c refuses: descriptors with this remainder. */
    private static final int EVERY = 100;

    final int port;
    private final Path log;

    private Server(int port, Path log, List<String> command) throws IOException {
        super(log, command);
        this.port = port;
        this.log = log;
    }

    /**
     * Starts it.
     *
     * @param provider class name of the provider, or null for the JDK's default
     */
    static Server start(String name, String error, String provider, Path out) throws IOException {
        int port = ServerProcess.freePort();
        List<String> command = new ArrayList<>(List.of(out.resolve("refuse").toString(), error,
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        if (provider != null) {
            command.add("-Djava.nio.channels.spi.SelectorProvider=" + provider);
        }
        // Else it closes idle connections beyond 200.
        command.add("-Dsun.net.httpserver.maxIdleConnections=1000");
        command.addAll(List.of("-cp", System.getProperty("java.class.path") + ":" + out.resolve("pollux.jar"),
                "dev.pollux.micro.apps.server.Main", name, Integer.toString(port)));
        return new Server(port, out.resolve(name + "-" + error + ".log"), command);
    }

    /** The remote ports of those connections whose registration is refused. */
    Set<Integer> refusedPorts() throws IOException {
        Set<Integer> ports = new HashSet<>();
        for (int fd = 2 * EVERY - 1; fd < 10 * EVERY; fd += EVERY) {
            Path link = Path.of("/proc", Long.toString(pid()), "fd", Integer.toString(fd));
            if (Files.isSymbolicLink(link)) {
                String target = Files.readSymbolicLink(link).toString();
                if (target.startsWith("socket:[")) {
                    remotePort(target.substring("socket:[".length(), target.length() - 1), ports);
                }
            }
        }
        return ports;
    }

    private static void remotePort(String inode, Set<Integer> ports) throws IOException {
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] words = line.trim().split("\\s+");
                if (words[9].equals(inode)) {
                    ports.add(Integer.parseInt(words[2].substring(words[2].indexOf(':') + 1), 16));
                }
            }
        }
    }

    /** How often all its threads wait within some time; -1 if strace may not look. */
    long waits(long millis) throws IOException, InterruptedException {
        Path summary = Files.createTempFile("waits", ".txt");
        Process strace = new ProcessBuilder("strace", "-c", "-f", "-o", summary.toString(), "-e",
                "trace=epoll_wait,epoll_pwait,epoll_pwait2,poll,ppoll", "-p", Long.toString(pid()))
                .redirectErrorStream(true).start();
        String answer = strace.inputReader().readLine();
        Thread.sleep(millis);
        strace.destroy();
        strace.waitFor();
        long waits = 0;
        for (String line : Files.readAllLines(summary)) {
            String[] words = line.trim().split("\\s+");
            if (words.length >= 5 && words[3].matches("\\d+") && words[words.length - 1].contains("poll")) {
                waits += Long.parseLong(words[3]);
            }
        }
        Files.delete(summary);
        return answer != null && answer.contains("attached") ? waits : -1;
    }

    /** The last line of its log that names the refused system call, or an empty string. */
    String reported() throws IOException {
        String last = "";
        for (String line : Files.readAllLines(log)) {
            last = line.contains("epoll_ctl") ? line.strip() : last;
        }
        return last;
    }
}
