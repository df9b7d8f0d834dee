// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * Opens selectors on {@code /dev/poll} (Solaris and illumos, {@code poll(7D)}), or on {@code poll(2)} where that device
 * is missing, and the JDK's own channels beside them.
 *
 * <p>It is switched on by
 * {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.DevPollSelectorProvider}. Safe for use by many threads.
 */
public final class DevPollSelectorProvider extends PolluxSelectorProvider {
    /** Makes a provider; never fails. */
    public DevPollSelectorProvider() {
        super("/dev/poll");
    }
}
