// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.nio.channels.spi.SelectorProvider;

/**
 * Makes selector providers from class names, so that the benchmarks need no class but java.nio's.
 *
 * <p>The JDK's own providers are public classes of a package that is not exported: the virtual
 * machine needs {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED}. Stateless.
 */
public final class Providers {
    /** The class that {@link SelectorProvider#provider()} is on Linux. */
    public static final String JDK_EPOLL = "sun.nio.ch.EPollSelectorProvider";

    /** The JDK's selector over poll(2), which is never its default on Linux. */
    public static final String JDK_POLL = "sun.nio.ch.PollSelectorProvider";

    /** Pollux over epoll. */
    public static final String POLLUX_EPOLL = "dev.pollux.EPollSelectorProvider";

    /** Pollux over poll(2). */
    public static final String POLLUX_POLL = "dev.pollux.PollSelectorProvider";

    private Providers() {
    }

    /** Returns a new provider of the named class. */
    public static SelectorProvider named(String className) {
        try {
            return (SelectorProvider) Class.forName(className).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no selector provider " + className, e);
        }
    }
}
