// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.startup.Startup;
import java.nio.channels.spi.SelectorProvider;
import java.util.stream.Stream;

/** The providers of all mechanisms that the library has here. */
public final class Providers {

    private Providers() {
    }

    public static Stream<SelectorProvider> all() {
        return Startup.outcome().mechanisms().stream().map(Providers::of);
    }

    /** That of a class, so that a property can name it; a mechanism that has none is new. */
    private static SelectorProvider of(String mechanism) {
        return switch (mechanism) {
            case "epoll" -> new EPollSelectorProvider();
            case "kqueue" -> new KQueueSelectorProvider();
            case "/dev/poll" -> new DevPollSelectorProvider();
            case "wepoll" -> new WEPollSelectorProvider();
            case "poll" -> new PollSelectorProvider();
            default -> new PolluxSelectorProvider(mechanism);
        };
    }
}
