// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.Child;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a server runs on. JDK: Pollux is not on the class path. POLLUX: Pollux by one property. OFF: the same, with the
 * JDK's own socket calls. AUTO: Pollux with its defaults. WRITES and ALL: with this value of {@code dev.pollux.batch}.
 * EPOLL and IO_URING: the JDK, and Netty's own transport instead of NIO.
 */
public enum Side {
    JDK, POLLUX, OFF, AUTO, WRITES, ALL, EPOLL, IO_URING;

    /** Pollux's default. */
    public static final String PROVIDER = "dev.pollux.PolluxSelectorProvider";

    /** As the tables and the files of figures name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return what it is to be compared with: the JDK, and the default if it is more than that} */
    public List<Side> bases() {
        return this == JDK ? List.of() : this == WRITES || this == ALL ? List.of(JDK, AUTO) : List.of(JDK);
    }

    /** Whether it is a transport that Netty alone has. */
    public boolean isOfNetty() {
        return this == EPOLL || this == IO_URING;
    }

    /** Whether Pollux is not there. */
    private boolean isJdk() {
        return this == JDK || isOfNetty();
    }

    /** Whether the socket calls must stay the JDK's. */
    public boolean keepsCalls() {
        return isJdk() || this == OFF;
    }

    /** Whether there are selectors, and all of them this side's. */
    public boolean owns(List<String> classes) {
        String expected = isJdk() ? "sun.nio.ch." : "dev.pollux.";
        return !classes.isEmpty() && classes.stream().allMatch(name -> name.startsWith(expected));
    }

    /**
     * Options of the java command.
     *
     * @param needsAgent whether the virtual machine may never ask for a selector provider, so that the property starts
     *     nothing
     * @param provider the class that is Pollux's provider
     */
    public List<String> options(boolean needsAgent, String provider, Path jar) {
        if (isOfNetty()) {
            return List.of("-Dpollux.micro.transport=" + name());
        }
        List<String> options = new ArrayList<>();
        if (this != JDK) {
            options.addAll(List.of(Child.provider(provider), "-cp",
                    System.getProperty("java.class.path") + ":" + jar.toAbsolutePath()));
            if (this != POLLUX) {
                String property = this == WRITES || this == ALL ? "batch" : "calls";
                options.add("-Ddev.pollux." + property + "=" + label());
            }
            if (needsAgent) {
                options.add("-javaagent:" + jar.toAbsolutePath() + "=calls");
            }
        }
        return options;
    }
}
