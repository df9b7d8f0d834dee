// SPDX-License-Identifier: Apache-2.0
/**
 * Pollux: a {@code java.nio.channels.spi.SelectorProvider}, a poll(2) for Java, and a server whose handlers run where
 * requests arrive.
 *
 * <p>The module {@code java.base} is enough. The others are used where the runtime has them: {@code java.instrument} by
 * the agent, {@code jdk.jfr} for events, {@code java.management} for the MBean, {@code java.logging} to have warnings
 * ready, {@code jdk.attach} by the command {@code top}. It uses {@code System.LoggerFinder} only to know whether the
 * program has a logging of its own.
 *
 * <p>The module provides no service. The system property {@code java.nio.channels.spi.SelectorProvider} alone decides
 * whether a program's selectors are Pollux's.
 */
module dev.pollux {
    requires static java.instrument;
    requires static java.logging;
    requires static java.management;
    requires static jdk.attach;
    requires static jdk.jfr;

    uses System.LoggerFinder;

    exports dev.pollux;
    exports dev.pollux.server;
}
