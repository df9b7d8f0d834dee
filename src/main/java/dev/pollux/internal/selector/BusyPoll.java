// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.loop.AdaptiveBackoff;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Reads how long selections poll before they block: polling spares some microseconds, and takes a processor. */
final class BusyPoll {
    /** System property: how many microseconds a selection polls before it blocks. */
    static final String PROPERTY = "dev.pollux.busypoll";

    /** Default of {@link #PROPERTY}: a selection blocks right away. All selectors share it: it has no state. */
    private static final AdaptiveBackoff NONE = new AdaptiveBackoff(0);

    private BusyPoll() {
    }

    /** As the property says now; never with a single processor, where no other thread could bring an event. */
    static AdaptiveBackoff configured() throws IOException {
        String value = System.getProperty(PROPERTY);
        if (value == null || value.isBlank()) {
            return NONE;
        }
        try {
            long micros = Long.parseLong(value.strip());
            if (micros >= 0) {
                boolean alone = Runtime.getRuntime().availableProcessors() == 1;
                return alone || micros == 0 ? NONE : new AdaptiveBackoff(TimeUnit.MICROSECONDS.toNanos(micros));
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IOException("-D" + PROPERTY + '=' + value + ": a number of microseconds is wanted, 0 or more");
    }
}
