// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * Opens selectors on {@code kqueue(2)} (macOS and the BSDs), and the JDK's own channels beside them.
 *
 * <p>It is switched on by
 * {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.KQueueSelectorProvider}. Safe for use by many threads.
 */
public final class KQueueSelectorProvider extends PolluxSelectorProvider {
    /** Makes a provider; never fails. */
    public KQueueSelectorProvider() {
        super("kqueue");
    }
}
