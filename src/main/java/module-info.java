// SPDX-License-Identifier: Apache-2.0
/**
 * Pollux: a {@code java.nio.channels.spi.SelectorProvider}, and a poll(2) for Java.
 *
 * <p>The module {@code java.base} is enough. The others are used where the runtime has them: {@code java.instrument} by
 * the agent, {@code jdk.jfr} for events, {@code java.management} for the MBean, {@code java.logging} to have warnings
 * ready. It uses {@code System.LoggerFinder} only to know whether the program has a logging of its own. Internal
 * packages are for the module {@code dev.pollux.server} alone, whose native methods stand here: only one class loader
 * can have the library.
 *
 * <p>The module provides no service. The system property {@code java.nio.channels.spi.SelectorProvider} alone decides
 * whether a program's selectors are Pollux's.
 */
@SuppressWarnings("module") // the server's is built after this one
module dev.pollux {
    requires static java.instrument;
    requires static java.logging;
    requires static java.management;
    requires static jdk.jfr;

    uses System.LoggerFinder;

    exports dev.pollux;
    exports dev.pollux.internal.batch to dev.pollux.server;
    exports dev.pollux.internal.count to dev.pollux.server;
    exports dev.pollux.internal.jdk to dev.pollux.server;
    exports dev.pollux.internal.jni to dev.pollux.server;
    exports dev.pollux.internal.startup to dev.pollux.server;
}
