// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;

/**
 * How many bytes of a descriptor wait to be read, and how many an application has read and written, at some moment.
 * Only TCP on Linux tells the last two; of other sockets and of pipes at most the first is known. Guarded by the lock
 * of its owner. No allocation after construction.
 */
public final class Progress {
    private static final int UNREAD = 0, READ = 1, WRITTEN = 2, ALL = 3;

    private final long[] counts = new long[ALL];
    private int known;

    public void note(int fd) {
        known = Natives.progress(fd, counts);
    }

    public boolean isKnown() {
        return known == ALL;
    }

    public boolean isUnreadKnown() {
        return known > UNREAD;
    }

    /** Bytes that can be read; 0 if that is not known. */
    public long unread() {
        return counts[UNREAD];
    }

    /** Bytes that were read and written, of which the end of a stream is one in each direction. */
    public long transferred() {
        return counts[READ] + counts[WRITTEN];
    }

    /** Whether nothing was read and written since the other moment; if it has {@code ended}, unread bytes tell it. */
    public boolean isSame(Progress other, boolean ended) {
        if (isKnown() && other.isKnown()) {
            return counts[READ] == other.counts[READ] && counts[WRITTEN] == other.counts[WRITTEN];
        }
        return ended && isUnreadKnown() && other.isUnreadKnown() && unread() == other.unread();
    }
}
