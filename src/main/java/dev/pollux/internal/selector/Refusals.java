// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.jdk.SourceNames;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The keys whose registration or interest the mechanism has refused; they take turns in being offered again. The first
 * refusal is logged. One that poll(2) can't stand in for is thrown, and again when the interest or the error changes.
 * Guarded by the selector's lock. Allocates only when something is refused.
 */
final class Refusals {
    private record Refusal(int error, int asked) {
    }

    /** {@link Refusal#error} of a key whose descriptor is not open: it is not offered again with the same interest. */
    static final int CLOSED = 0;

    /**
     * In the order of access: a key takes its turn without leaving the map, so that no error can lose it. Null before
     * the first refusal.
     */
    private Map<SelectionKeyImpl, Refusal> refused;

    private final PollSet pollSet;
    private boolean logged;

    /** Whether observers know of one: it shows why keys are refused. */
    private boolean told;

    private IOException pending;

    Refusals(PollSet pollSet) {
        this.pollSet = pollSet;
    }

    int size() {
        return refused == null ? 0 : refused.size();
    }

    boolean contains(SelectionKeyImpl key) {
        return refused != null && refused.containsKey(key);
    }

    /** Keeps the error with which these events were refused, or {@link #CLOSED}: whether this is news. */
    boolean record(SelectionKeyImpl key, int error, int asked) {
        Refusal refusal = new Refusal(error, asked);
        if (refused == null) {
            refused = new LinkedHashMap<>(16, 0.75f, true);
        }
        return !refusal.equals(refused.put(key, refusal));
    }

    /** The mechanism has refused a key's registration or interest: {@link #record}, counted and told to observers. */
    boolean onRefusal(SelectionKeyImpl key, int error, int asked) {
        boolean isNews = record(key, error, asked);
        pollSet.statistics().add(Counter.REFUSALS, 1);
        if (isNews && (!told || pollSet.statistics().observer().recordsRefusals())) {
            told = true;
            pollSet.statistics().observer().onRefused(exception(key, error).getMessage());
        }
        return isNews;
    }

    private IOException exception(SelectionKeyImpl key, int error) {
        return pollSet.refusal(Printable.of(SourceNames.of(key.channel(), KeyTable.descriptor(key))), error);
    }

    /** Whether the key's descriptor was found closed when the same events were asked for as now. */
    boolean isClosed(SelectionKeyImpl key, int asked) {
        Refusal refusal = contains(key) ? refused.get(key) : null;
        return refusal != null && refusal.error() == CLOSED && refusal.asked() == asked;
    }

    void forget(SelectionKeyImpl key) {
        if (refused != null) {
            refused.remove(key);
        }
    }

    /** The key whose turn it is; there must be one. Its next turn comes after all others'. */
    SelectionKeyImpl next() {
        SelectionKeyImpl key = refused.keySet().iterator().next();
        refused.replace(key, refused.get(key)); // an access puts it behind all others
        return key;
    }

    /** Tells the administrator, once for each selector, since it shows nowhere else: a limit may have to be raised. */
    void log(SelectionKeyImpl key, int error) {
        if (logged) {
            return;
        }
        logged = true;
        pollSet.statistics().observer().onWarning(exception(key, error).getMessage()
                + ". poll(2) watches such channels of this selector meanwhile");
    }

    /** Has {@link #throwPending} throw a refusal, if it is news. */
    void report(SelectionKeyImpl key, int error, boolean isNews) {
        if (isNews && pending == null) {
            pending = exception(key, error);
        } else if (isNews) {
            pending.addSuppressed(exception(key, error));
        }
    }

    void throwPending() throws IOException {
        if (pending != null) {
            IOException thrown = pending;
            pending = null;
            throw thrown;
        }
    }
}
