// SPDX-License-Identifier: Apache-2.0
package dev.pollux.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One application with one selector provider: a virtual machine for the server and one for the client. The server gets
 * its class path, its port and, unless the provider is null, the one property; nothing else.
 */
final class Contender implements AutoCloseable {
    private static final int CONNECTIONS = 100;
    private static final int START_SECONDS = 30;

    final String application;
    final String provider;

    private final Path serverLog;
    private final Path clientLog;
    private final int port = freePort();
    private final Process server;
    private final Process client;
    private final PrintWriter toClient;
    private final BufferedReader fromClient;

    private long requests;
    private long errors;
    private long nanos;

    Contender(String application, String mainClass, String provider, String classPath, Path logs) throws IOException {
        this.application = application;
        this.provider = provider;
        String name = application.replace(' ', '-') + "-" + (provider == null ? "jdk" : "pollux");
        serverLog = logs.resolve(name + "-server.log");
        clientLog = logs.resolve(name + "-client.log");
        server = java(classPath, List.of("-Dport=" + port, mainClass))
                .redirectErrorStream(true).redirectOutput(serverLog.toFile()).start();
        client = java(classPath, List.of(Load.class.getName(), "" + port, "" + CONNECTIONS))
                .redirectError(clientLog.toFile()).start();
        toClient = new PrintWriter(client.outputWriter(), true);
        fromClient = client.inputReader();
    }

    private ProcessBuilder java(String classPath, List<String> rest) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", classPath));
        if (provider != null) {
            command.add("-Djava.nio.channels.spi.SelectorProvider=" + provider);
        }
        command.addAll(rest);
        return new ProcessBuilder(command);
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    /** Returns once the server accepts connections. */
    void awaitServer() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException notYet) {
                if (!server.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("the server does not start; it said:\n" + Files.readString(serverLog), notYet);
                }
                Thread.sleep(50);
            }
        }
    }

    private String ask(String line) throws IOException {
        toClient.println(line);
        String answer = fromClient.readLine();
        if (answer == null) {
            throw new IOException("the client ended; it said:\n" + Files.readString(clientLog));
        }
        return answer;
    }

    /** Sends requests whose responses are checked and counted, but not timed. */
    void warmUp(int count) throws IOException {
        run(count);
        nanos = 0;
        requests = 0;
        ask("forget");
    }

    void run(int count) throws IOException {
        String[] answer = ask("run " + count).split(" ");
        requests += count;
        errors += Long.parseLong(answer[0]);
        nanos += Long.parseLong(answer[1]);
    }

    /** Measures what is left, with the strace that slows everything down last, and gives the finished row. */
    Row finish(int countUnderStrace) throws IOException, InterruptedException {
        String[] times = ask("report").split(" ");
        double perSecond = requests * 1e9 / nanos;
        List<String> serverSelectors = Selectors.of(server.pid());
        List<String> clientSelectors = Selectors.of(client.pid());
        SystemCalls calls = new SystemCalls(server.pid());
        double perRequest = Double.NaN;
        if (calls.refused() == null) {
            run(countUnderStrace);
            perRequest = (double) calls.stop() / countUnderStrace;
        }
        return new Row(application, provider, serverSelectors, clientSelectors, Integer.parseInt(times[2]), requests, errors,
                perSecond, Long.parseLong(times[0]), Long.parseLong(times[1]), perRequest, calls.refused());
    }

    @Override
    public void close() {
        client.destroy();
        server.destroy();
    }
}
