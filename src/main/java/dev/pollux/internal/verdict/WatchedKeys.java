// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import sun.nio.ch.SelectionKeyImpl;

/** The keys of a selector, as far as what looks for trouble needs to know them. Guarded by the selector's lock. */
public interface WatchedKeys {
    /** The key that an event of this descriptor and generation is for; null if its registration has outlived it. */
    SelectionKeyImpl find(int fd, int generation);

    /** The key that has the descriptor now, or null. */
    SelectionKeyImpl at(int fd);

    /** Every descriptor of a key is smaller than this. */
    int capacity();

    /** The events that a key asks the mechanism for. */
    int asked(SelectionKeyImpl key);

    /** Whether a key is among the selected ones, in the set that is the selector's now: frameworks replace it. */
    boolean isSelected(SelectionKeyImpl key);
}
