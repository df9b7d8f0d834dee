// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * Opens selectors on {@code epoll(7)}, and the JDK's own channels beside them.
 *
 * <p>It is switched on by
 * {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider}. Safe for use by many threads.
 */
public final class EPollSelectorProvider extends PolluxSelectorProvider {
    /** Makes a provider; never fails. */
    public EPollSelectorProvider() {
        super("epoll");
    }
}
