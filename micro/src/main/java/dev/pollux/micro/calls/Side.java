// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.harness.JavaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a server runs on. */
enum Side {
    /** The JDK alone: Pollux is not on the class path. */
    JDK,
    /** Pollux's selectors, and the JDK's own socket calls. */
    OFF,
    /** Pollux with its defaults, which replaces the socket calls where that gains something. */
    AUTO,
    /** Pollux, with all writes of an event loop in one call. */
    WRITES,
    /** Pollux, with its reads in another one. */
    ALL,
    /** The JDK alone, and Netty's own transport on epoll. */
    EPOLL,
    /** The JDK alone, and Netty's own transport on io_uring. */
    IO_URING;

    /** As the tables and the files of figures name it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it is a transport that Netty alone has. */
    boolean isOfNetty() {
        return this == EPOLL || this == IO_URING;
    }

    /** Whether the socket calls stay the JDK's. */
    boolean keepsCalls() {
        return this == JDK || this == OFF || isOfNetty();
    }

    /** Options of the java command. All sides have the same heap, resident from the start, and the same collector. */
    List<String> options(Subject subject, int body, Path pollux) {
        List<String> options = new ArrayList<>(JavaProcess.quiet());
        options.addAll(List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC",
                "-Ddev.pollux.micro.body=" + body));
        options.addAll(subject.options());
        if (isOfNetty()) {
            options.add("-Ddev.pollux.micro.transport=" + name());
        } else if (this != JDK) {
            options.addAll(ServerProcess.options(dev.pollux.micro.apps.server.Side.POLLUX,
                    "dev.pollux.PolluxSelectorProvider", pollux));
            boolean isBatched = this == WRITES || this == ALL;
            options.add(isBatched ? "-Ddev.pollux.batch=" + label() : "-Ddev.pollux.calls=" + label());
            if (subject.needsAgent()) {
                options.add("-javaagent:" + pollux.toAbsolutePath() + "=calls");
            }
        }
        return options;
    }
}
