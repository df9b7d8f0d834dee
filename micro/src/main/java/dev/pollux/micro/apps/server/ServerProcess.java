// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.JavaProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a virtual machine of its own, on the selectors of one side. {@link Main} runs in it. Not thread-safe. */
public final class ServerProcess implements AutoCloseable {
    private static final int START_SECONDS = 30;

    private final JavaProcess process;
    private final int port = freePort();

    /**
     * Starts it.
     *
     * @param name of the server, as {@link Main} knows it
     * @param options of the java command: those of {@link #options}
     * @param log the file for its standard error
     */
    public ServerProcess(String name, List<String> options, Path log) throws IOException {
        process = new JavaProcess(log, options, Main.class, name, Integer.toString(port));
    }

    /** The options that have a virtual machine use that side's selectors. The provider and the jar are Pollux's. */
    public static List<String> options(Side side, String provider, Path jar) {
        return side == Side.JDK ? List.of() : List.of(JavaProcess.provider(provider),
                "-cp", System.getProperty("java.class.path") + ":" + jar.toAbsolutePath());
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    /** Returns once the server accepts connections. */
    public void awaitStart() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException notYet) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("the server does not start:\n" + process.standardError(), notYet);
                }
                Thread.sleep(50);
            }
        }
    }

    /** Asks it for its version. */
    public String version() throws IOException {
        return process.ask("version");
    }

    /** Asks for the bytes that its threads allocated since the last question, and how many of its threads ended. */
    public long[] allocated() throws IOException {
        return process.askNumbers("bytes");
    }

    /** Asks for the native methods of the JDK that Pollux has replaced in it; empty if none. */
    public String replacedCalls() throws IOException {
        return process.ask("calls");
    }

    /** What it has written to its standard error, for messages. */
    public String standardError() throws IOException {
        return process.standardError();
    }

    /** Where it listens, on the loopback address. */
    public int port() {
        return port;
    }

    /** The process identifier. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }
}
