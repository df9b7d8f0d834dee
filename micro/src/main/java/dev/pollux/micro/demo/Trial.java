// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.LiveSelectors;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** One server with its client, each in a virtual machine of its own, both on the selectors of one side. */
final class Trial implements AutoCloseable {
    private static final int CONNECTIONS = 100;
    private static final String PROVIDER = "dev.pollux.PolluxSelectorProvider";

    private final String label;
    private final Side side;
    private final ServerProcess server;
    private final JavaProcess client;
    private long requests;
    private long errors;
    private long nanos;

    /** Arguments: the server's name for people and on the command line, the side, Pollux, a folder for logs. */
    Trial(String label, String name, Side side, Path jar, Path logs) throws IOException {
        this.label = label;
        this.side = side;
        List<String> options = ServerProcess.options(side, PROVIDER, jar);
        server = new ServerProcess(name, options, logs.resolve(name + "-" + side.word() + "-server.log"));
        client = new JavaProcess(logs.resolve(name + "-" + side.word() + "-client.log"), options, Client.class,
                Integer.toString(server.port()), Integer.toString(CONNECTIONS));
    }

    /** Returns once the server accepts connections. */
    void awaitStart() throws IOException, InterruptedException {
        server.awaitStart();
    }

    /** Sends requests whose responses are checked and whose errors are counted, but which are not timed. */
    void warmUp(int count) throws IOException {
        run(count);
        nanos = 0;
        requests = 0;
        client.ask("reset");
    }

    void run(int count) throws IOException {
        long[] answer = client.askNumbers("run " + count);
        requests += count;
        errors += answer[0];
        nanos += answer[1];
    }

    /** Measures what is left, with the strace that slows everything down last, and gives the finished row. */
    Row finish(int countUnderStrace) throws IOException, InterruptedException {
        long[] report = client.askNumbers("report");
        double perSecond = requests * 1e9 / nanos;
        List<String> serverSelectors = LiveSelectors.of(server.pid());
        List<String> clientSelectors = LiveSelectors.of(client.pid());
        double callsPerRequest = Double.NaN;
        String notCounted = null;
        try {
            SystemCalls calls = new SystemCalls(server.pid());
            run(countUnderStrace);
            callsPerRequest = SystemCalls.sum(calls.stop()) / countUnderStrace;
        } catch (IOException e) {
            notCounted = e.getMessage();
        }
        return new Row(label, side, serverSelectors, clientSelectors, (int) report[2], requests, errors, perSecond,
                report[0], report[1], callsPerRequest, notCounted);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
