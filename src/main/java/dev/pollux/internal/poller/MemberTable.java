// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.pollset.PollSet;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The members of a {@link Multiplexer} by descriptor. Guarded by the leadership's monitor. Allocates to grow: four
 * bytes for each descriptor number.
 */
final class MemberTable {
    /** Why a member is refused, beside the system's codes, which are positive. 0 means that nothing was refused. */
    static final int CLOSED = -1, IS_MEMBER = -2, NO_CAPACITY = -3, NOT_OPEN = -4;

    final int capacity;
    private MemberState[] members = new MemberState[64];
    private int size;

    /** How often a thread went for events. */
    long round;

    /** The round in which a member was added, changed or removed last. */
    private long lastChange;

    private int lastGeneration;

    MemberTable(int capacity) {
        this.capacity = capacity;
    }

    int size() {
        return size;
    }

    MemberState at(int fd) {
        return fd >= 0 && fd < members.length ? members[fd] : null;
    }

    /** The member with this canonical source, whose descriptor is -1 if it is closed; or null. */
    MemberState of(Object source, int fd) {
        if (fd >= 0) {
            MemberState member = at(fd);
            return member != null && (member.source == source || member.source == null) ? member : null;
        }
        for (MemberState each : members) {
            if (each != null && each.source == source) {
                return each;
            }
        }
        return null;
    }

    /** The member whose source was closed without being removed, so that its number is another's now; or null. */
    MemberState predecessor(int fd) {
        MemberState there = at(fd);
        return there != null && isClosed(there) ? there : null;
    }

    /** Whether a member's source is known to be closed; false for a number, of which it is unknown. */
    boolean isClosed(MemberState member) {
        return member.source != null && !Descriptors.isOpen(member.source);
    }

    /**
     * Makes room for a new member: 0, or a code. A number that is larger than any before must be an open descriptor, so
     * that a bogus one does not have the array grow.
     */
    int admit(MemberState member) {
        int fd = member.fd;
        if (isClosed(member)) {
            return CLOSED;
        }
        if (at(fd) != null) {
            return IS_MEMBER;
        }
        if (size == capacity) {
            return NO_CAPACITY;
        }
        if (fd >= members.length) {
            if (!PollSet.isOpen(fd)) {
                return NOT_OPEN;
            }
            members = Arrays.copyOf(members, (int) Math.min(Math.max(fd + 1L, members.length * 2L), Integer.MAX_VALUE));
        }
        renew(member);
        return 0;
    }

    /** Enters a member that was admitted. Can't fail. */
    void enter(MemberState member) {
        members[member.fd] = member;
        size++;
    }

    void strike(MemberState member) {
        renew(member);
        member.release(); // before the assignments: an error at a call after them would have it struck off twice
        members[member.fd] = null;
        size--;
    }

    /** From here on nothing counts that was reported of a member before. */
    void renew(MemberState member) {
        member.generation = ++lastGeneration;
        lastChange = round;
    }

    void beginRound() {
        round++;
    }

    /** Whether a member was changed since the last round began. */
    boolean wasChanged() {
        return lastChange == round;
    }

    /** Forgets all: an attachment may know what keeps them. */
    void clear() {
        forEach(MemberState::release);
        members = new MemberState[0];
        size = 0;
    }

    void forEach(Consumer<MemberState> action) {
        for (MemberState each : members) {
            if (each != null) {
                action.accept(each);
            }
        }
    }
}
