// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The keys whose registration or interest the kernel has refused. Each is reported once, by an exception, and again when the
 * interest or the error changes; the key stays registered and is tried again at every selection.
 *
 * <p>Guarded by the selector's lock. Allocates only when something is refused.
 */
final class Refusals {
    private record Refusal(int error, int asked, boolean gone) {
    }

    private final Map<SelectionKeyImpl, Refusal> refused = new HashMap<>();

    /** What the next {@link #throwPending} throws. */
    private IOException pending;

    boolean isEmpty() {
        return refused.isEmpty();
    }

    /**
     * Keeps a refusal.
     *
     * @param asked the events that were asked for
     * @param gone whether the descriptor was found closed: then nothing is tried again until something else is asked for
     * @return whether this is news, to be reported by {@link #report}
     */
    boolean record(SelectionKeyImpl key, int error, int asked, boolean gone) {
        Refusal refusal = new Refusal(error, asked, gone);
        return !refusal.equals(refused.put(key, refusal));
    }

    boolean contains(SelectionKeyImpl key) {
        return !refused.isEmpty() && refused.containsKey(key);
    }

    /** Tells whether the key's descriptor was found closed when the same events were asked for as now. */
    boolean isGone(SelectionKeyImpl key, int asked) {
        Refusal refusal = refused.get(key);
        return refusal != null && refusal.gone() && refusal.asked() == asked;
    }

    void report(IOException refusal) {
        if (pending == null) {
            pending = refusal;
        } else {
            pending.addSuppressed(refusal);
        }
    }

    void forget(SelectionKeyImpl key) {
        refused.remove(key);
    }

    List<SelectionKeyImpl> keys() {
        return new ArrayList<>(refused.keySet());
    }

    void throwPending() throws IOException {
        if (pending != null) {
            IOException thrown = pending;
            pending = null;
            throw thrown;
        }
    }
}
