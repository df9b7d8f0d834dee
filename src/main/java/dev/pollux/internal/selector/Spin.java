// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Says whether a selection polls for a while before it blocks, and for how long: only if asked to, and as long as it pays.
 * Blocking and being woken takes the kernel some microseconds; polling instead takes a processor all that time.
 *
 * <p>After each spin in vain twice as many selections block right away as after the one before, up to {@value #MOST_SKIPPED};
 * each that found something halves that. Guarded by the selector's lock. No allocation.
 */
final class Spin {
    /** System property: how many microseconds a selection polls before it blocks. */
    static final String PROPERTY = "dev.pollux.spin";

    /** Default of {@link #PROPERTY}: a selection blocks right away. */
    static final long DEFAULT_MICROS = 0;

    private static final int MOST_SKIPPED = 1024;

    private final long nanos;

    /** Selections that block right away after the next spin in vain. */
    private int penalty = 1;

    /** Selections that still block right away. */
    private int skip;

    private Spin(long nanos) {
        this.nanos = nanos;
    }

    /** As the property says now; never with a single processor, where nobody else could bring what is waited for. */
    static Spin configured() throws IOException {
        String value = System.getProperty(PROPERTY);
        if (value == null || value.isBlank()) {
            return new Spin(TimeUnit.MICROSECONDS.toNanos(DEFAULT_MICROS));
        }
        try {
            long micros = Long.parseLong(value.strip());
            if (micros >= 0) {
                return new Spin(Runtime.getRuntime().availableProcessors() > 1 ? TimeUnit.MICROSECONDS.toNanos(micros) : 0);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IOException("-D" + PROPERTY + '=' + value + ": a number of microseconds is wanted, 0 or more");
    }

    /** How long this selection may spin, in nanoseconds: 0 not at all. */
    long nanos() {
        if (nanos == 0 || skip == 0) {
            return nanos;
        }
        skip--;
        return 0;
    }

    void hasPaid() {
        penalty = Math.max(penalty / 2, 1);
    }

    void wasInVain() {
        skip = penalty;
        penalty = Math.min(penalty * 2, MOST_SKIPPED);
    }
}
