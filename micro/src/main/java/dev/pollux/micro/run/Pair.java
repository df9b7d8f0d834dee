// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.bench.Providers;
import java.util.List;

/**
 * Two providers that are compared, and the mechanism whose floor stands beside them.
 *
 * @param mechanism {@code epoll} or {@code poll}
 * @param base class name of the provider that counts as 1
 * @param other class name of the provider whose ratio is wanted
 */
record Pair(String mechanism, String base, String other) {
    /** Each mechanism of Pollux against its counterpart in the JDK. */
    static final List<Pair> ALL = List.of(
            new Pair("epoll", Providers.JDK_EPOLL, Providers.POLLUX_EPOLL),
            new Pair("poll", Providers.JDK_POLL, Providers.POLLUX_POLL));

    static Pair ofMechanism(String name) {
        return ALL.stream().filter(pair -> pair.mechanism.equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no mechanism " + name + ": epoll or poll"));
    }

    static Pair parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException(text + " is not BASE:OTHER");
        }
        String other = text.substring(colon + 1);
        return new Pair(other.contains("EPoll") ? "epoll" : "poll", text.substring(0, colon), other);
    }
}
