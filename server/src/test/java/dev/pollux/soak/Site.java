// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.lab.SignalStorm;
import java.lang.management.ManagementFactory;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;

/**
 * What the scenarios of one virtual machine share.
 *
 * @param provider  the provider that the virtual machine was started with
 * @param mechanism as {@code Poller.open} names it
 * @param folder    for Unix-domain sockets
 * @param storm     sends signals to all threads of all scenarios
 */
record Site(SelectorProvider provider, String mechanism, Path folder, SignalStorm storm) {
    static final int JDK = Runtime.version().feature();

    /** Whether this virtual machine was given little direct memory: most scenarios need more. */
    static boolean isScarce() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .anyMatch(each -> each.startsWith("-XX:MaxDirectMemorySize="));
    }

    boolean isEPoll() {
        return mechanism.equals("epoll");
    }
}
