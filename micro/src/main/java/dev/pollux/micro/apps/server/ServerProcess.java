// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own: {@link Main} in a virtual machine, on the selectors of one side, or another
 * program. Not thread-safe.
 */
public final class ServerProcess extends Child {
    /** Options for servers whose memory is compared: the heap does not grow, and the collector has no threads. */
    public static final List<String> SAME_HEAP = List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC");

    private static final int START_SECONDS = 30;

    private final int port;

    /** What another program runs on; null for {@link Main}. */
    private final String mechanism;

    /**
     * Starts a virtual machine.
     *
     * @param name of the server, as {@link Main} knows it
     * @param options of the java command, such as those of {@link Side#options}
     * @param log the file for its standard error
     */
    public ServerProcess(String name, List<String> options, Path log) throws IOException {
        this(name, options, log, freePort());
    }

    private ServerProcess(String name, List<String> options, Path log, int port) throws IOException {
        super(log, java(options, Main.class, name, Integer.toString(port)));
        this.port = port;
        mechanism = null;
    }

    /** Starts a program in C, which chooses its port and prints it. */
    public ServerProcess(List<String> command, String mechanism) throws IOException {
        super(command);
        port = (int) askNumbers("")[0];
        this.mechanism = mechanism;
    }

    /** Starts a program that listens at a port. */
    public ServerProcess(List<String> command, int port) throws IOException {
        super(command);
        this.port = port;
        mechanism = "";
    }

    /** A port that is free now. */
    public static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    /** Returns once the server accepts connections. */
    public void awaitStart() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException notYet) {
                if (!isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("the server does not start:\n" + standardError(), notYet);
                }
                Thread.sleep(50);
            }
        }
    }

    /** Asks it for its version, or for what it runs on. */
    public String version() throws IOException {
        return mechanism != null ? mechanism : ask("version");
    }

    /**
     * Asks for the bytes that its threads allocated since the last question, and how many of its threads ended: C has
     * none that would tell.
     */
    public long[] allocated() throws IOException {
        return mechanism != null ? new long[] {-1, 1} : askNumbers("bytes");
    }

    /** Asks for the bytes in use in its heap. */
    public long heap() throws IOException {
        return mechanism != null ? 0 : askNumbers("heap")[0];
    }

    /** Asks for the native methods of the JDK that Pollux has replaced in it; empty if none. */
    public String replacedCalls() throws IOException {
        return mechanism != null ? "" : ask("calls");
    }

    /** Where it listens, on the loopback address. */
    public int port() {
        return port;
    }
}
