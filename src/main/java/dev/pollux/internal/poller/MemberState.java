// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

/**
 * One member of a {@link Multiplexer}: what is asked for, and what the mechanism holds. Guarded by the leadership's
 * monitor.
 */
public final class MemberState {
    final int fd;

    /** What was added, or null if that was a number, or the member was removed. */
    Object source;

    /** What the owner calls it; null when it was removed, so that a thread's last report keeps nothing alive. */
    private volatile Object handle;

    /** Asked for: events, and how they are to be reported. */
    int wanted;

    /** It is not watched: by its owner's wish, or because it was reported and is one-shot. */
    boolean disabled;

    boolean removed;

    /** Changes with each change: what was reported before one says nothing of what is asked for after it. */
    int generation;

    /** Whether the mechanism holds a registration. */
    boolean held;

    boolean postponed;

    /** Whether its owner is to be told that it can't be watched. */
    boolean unreported;

    /** Why it can't be watched: a code of the system or of {@link MemberTable}, 0 if it can. */
    int refusal;

    public MemberState(int fd, Object source, int wanted) {
        this.fd = fd;
        this.source = source;
        this.wanted = wanted;
    }

    public int descriptor() {
        return fd;
    }

    /** What {@link #setHandle} was given; null if the member was removed. Any thread. */
    public Object handle() {
        return handle;
    }

    /** Says what the owner calls this member, before it is added. */
    public void setHandle(Object handle) {
        this.handle = handle;
    }

    /** It is no member any more: what still refers to it shall not keep its owner's objects. */
    void release() {
        removed = true;
        handle = null;
        source = null;
    }
}
