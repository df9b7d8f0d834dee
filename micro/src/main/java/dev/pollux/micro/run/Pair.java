// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.bench.Providers;

/**
 * Two providers that are compared, and the mechanism whose floor stands beside them.
 *
 * @param mechanism {@code epoll} or {@code poll}
 * @param base class name of the provider that counts as 1
 * @param other class name of the provider whose ratio is wanted
 */
record Pair(String mechanism, String base, String other) {
    /** A mechanism of Pollux against its counterpart in the JDK. */
    static Pair ofMechanism(String name) {
        return switch (name) {
            case "epoll" -> new Pair(name, Providers.JDK_EPOLL, Providers.POLLUX_EPOLL);
            case "poll" -> new Pair(name, Providers.JDK_POLL, Providers.POLLUX_POLL);
            default -> throw new IllegalArgumentException("no mechanism " + name + ": epoll or poll");
        };
    }

    static Pair parse(String text) {
        String[] words = text.split(":");
        if (words.length != 2) {
            throw new IllegalArgumentException(text + " is not BASE:OTHER");
        }
        return new Pair(words[1].contains("EPoll") ? "epoll" : "poll", words[0], words[1]);
    }
}
