// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

/**
 * One descriptor of a {@link Multiplexer}: what is asked for, and what the mechanism holds.
 *
 * <p>Guarded by the entrance's monitor. {@link Batch} reads the generation without it: it wants to know what its own thread
 * did.
 */
final class Member {
    final int fd;

    /** What was added, or null if that was a number. */
    final Object source;

    final Object attachment;

    /** Asked for: events, and how they are to be reported. */
    int wanted;

    /** It is not watched: by its owner's wish, or because it has been reported and was asked for once. */
    boolean disabled;

    /** It is no member any more. */
    boolean removed;

    /** Changes with each change: what was reported before one says nothing of what is asked for after it. */
    int generation;

    /** What the mechanism was told last, 0 if it holds nothing. */
    int held;

    /** Whether it is among the changes that wait for the thread in the mechanism. */
    boolean postponed;

    Member(int fd, Object source, Object attachment, int wanted) {
        this.fd = fd;
        this.source = source;
        this.attachment = attachment;
        this.wanted = wanted;
    }

    Object name() {
        return source == null ? "a raw descriptor" : source;
    }
}
