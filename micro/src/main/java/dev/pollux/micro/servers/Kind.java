// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.JavaProcess;
import java.io.IOException;
import java.util.List;

/** The ways of serving. */
enum Kind {
    /** A platform thread for each connection. */
    THREADS,
    /** A virtual thread for each connection. */
    VIRTUAL,
    /** One thread, the JDK's default selector. */
    JDK,
    /** One thread, the selector of Pollux: the same code as JDK, another provider. */
    POLLUX,
    /** One thread, a poller, level-triggered. */
    POLLER,
    /** A poller, level-triggered; the batch is divided among workers. */
    GANG,
    /** A poller, one-shot; all workers wait. */
    ONESHOT;

    /** Whether it has a number of workers to choose. */
    boolean hasWorkers() {
        return this == GANG || this == ONESHOT;
    }

    /** Options of the java command beyond those that all have. */
    List<String> options() {
        return this == POLLUX ? List.of(JavaProcess.provider("dev.pollux.PolluxSelectorProvider")) : List.of();
    }

    /** Called in the server's virtual machine. */
    Server server(Sizes sizes, int workers) throws IOException {
        return switch (this) {
            case THREADS -> SimpleServer.platform(sizes);
            case VIRTUAL -> SimpleServer.virtual(sizes);
            case JDK, POLLUX -> new SelectorServer(sizes);
            case POLLER -> new LevelServer(sizes);
            case GANG -> new PollingServer(sizes, workers);
            case ONESHOT -> new OneShotServer(sizes, workers);
        };
    }
}
