// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * Opens selectors on wepoll (Windows), and the JDK's own channels beside them.
 *
 * <p>It is switched on by
 * {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.WEPollSelectorProvider}. Safe for use by many threads.
 */
public final class WEPollSelectorProvider extends PolluxSelectorProvider {
    /** Makes a provider; never fails. */
    public WEPollSelectorProvider() {
        super("wepoll");
    }
}
