// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * Opens selectors on {@code poll(2)}, and the JDK's own channels beside them.
 *
 * <p>It is switched on by
 * {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider}. Safe for use by many threads.
 */
public final class PollSelectorProvider extends PolluxSelectorProvider {
    /** Makes a provider; never fails. */
    public PollSelectorProvider() {
        super("poll");
    }
}
