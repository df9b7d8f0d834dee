// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Pace;
import dev.pollux.micro.harness.Peers;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.nio.file.Path;

/** One server on one side with its peers, whose connections stay open from round to round. Used by one thread. */
final class Contender implements AutoCloseable {
    private final Subject subject;
    private final Side side;
    private final int connections;
    private final ServerProcess server;
    private final Peers peers;

    Contender(Subject subject, Side side, int connections, Plan plan, Path pollux, Path logs) throws IOException {
        this.subject = subject;
        this.side = side;
        this.connections = connections;
        server = new ServerProcess(subject.application(), side.options(subject, plan.body(), pollux),
                logs.resolve("calls-" + subject.label() + "-" + side.label() + ".log"));
        peers = new Peers(subject.protocol(), plan.pipeline());
    }

    /** Returns once there are all connections, with an answer on each. */
    Start open() throws IOException, InterruptedException {
        server.awaitStart();
        return told(() -> {
            peers.open(Integer.toString(server.port()), connections);
            String replaced = server.replacedCalls();
            if (side.keepsCalls() && !replaced.isEmpty()) {
                throw new IOException("the socket calls should be the JDK's, but these are replaced: " + replaced);
            }
            return new Start(subject.label(), side.label(), server.version(), replaced);
        });
    }

    /** Asks as fast as it can; server and peers run wherever the system puts them. */
    void warmUp(double seconds, int outstanding) throws IOException {
        told(() -> peers.run(Mode.FULL, new Pace(seconds, outstanding, 0), 1));
    }

    Turn measure(Mode mode, Pace pace, int round) throws IOException {
        return told(() -> {
            peers.bind(server.pid(), mode);
            return new Turn(subject.label(),
                    peers.measure(server.pid(), side.label(), connections, mode, pace, round));
        });
    }

    /** Counts the system calls of a turn; the server and its peers stay where they are. */
    Counted count(Pace pace) throws IOException {
        return told(() -> {
            SystemCalls calls = new SystemCalls(server.pid());
            long requests = peers.run(Mode.FULL, pace, 1)[0];
            try {
                return new Counted(subject.label(), side.label(), connections,
                        SystemCalls.sum(calls.stop()) / requests);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
    }

    /** What the server or its peers do. */
    private interface Work<T> {
        T run() throws IOException;
    }

    /** When one of the two fails, the other may know why. */
    private <T> T told(Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (IOException e) {
            throw new IOException(subject.label() + " on " + side.label() + ", " + connections
                    + " connections; the server's standard error: " + server.standardError(), e);
        }
    }

    @Override
    public void close() {
        peers.close();
        server.close();
    }
}
