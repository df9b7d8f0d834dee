// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.Patience;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/**
 * Opens selectors. Stands between the providers and {@link PolluxSelector} for the verifier's sake: a class with a method
 * that returned a PolluxSelector as an AbstractSelector would have it loaded when it is verified itself, before the JDK's
 * package is open.
 */
public final class SelectorFactory {
    private SelectorFactory() {
    }

    /**
     * Opens a selector on a mechanism.
     *
     * @param mechanism its name, or null for the best one of this platform
     * @throws IOException if the mechanism can't be opened
     */
    public static AbstractSelector open(SelectorProvider provider, String mechanism) throws IOException {
        Patience spin = Spin.configured();
        PollSet pollSet = PollSet.open(mechanism);
        try {
            return new PolluxSelector(provider, pollSet, spin);
        } catch (RuntimeException | Error e) {
            pollSet.close();
            throw e;
        }
    }
}
