// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

/** Where the counters of a loop's batch come from. For any thread, so numbers may be a moment old. */
public interface BatchCounts {
    /** Copies them, in the order in which {@link Counter} has them. */
    void copyTo(long[] counts, int offset);

    boolean isAtWork();
}
