// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.jdk.Descriptors;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.function.Consumer;

/**
 * The members of a {@link Multiplexer} by descriptor.
 *
 * <p>Guarded by the entrance's monitor. Allocates to grow: 12 to 24 bytes for each descriptor number.
 */
final class Members {
    /** A number beyond this is no descriptor of any system: it shall not make an array grow. */
    private static final int MOST_DESCRIPTORS = 1 << 24;

    private final int capacity;
    private Member[] members = new Member[64];
    private int size;

    /** By descriptor: in which round a member with that number was changed last. */
    private long[] changed = new long[64];

    /** How often somebody went for events. */
    private long round;

    private int lastGeneration;

    Members(int capacity) {
        this.capacity = capacity;
    }

    int size() {
        return size;
    }

    /** The member with this descriptor, or null. */
    Member at(int fd) {
        return fd >= 0 && fd < members.length ? members[fd] : null;
    }

    /**
     * The member with this descriptor; or with this source, if the descriptor is negative because that has been closed. A member
     * that was added as a number is found by its source too. Null if there is none.
     */
    Member find(int fd, Object source) {
        if (fd < 0) {
            return of(source);
        }
        Member member = at(fd);
        if (member == null || source == null || member.source == null) {
            return member;
        }
        return member.source == source ? member : null;
    }

    private Member of(Object source) {
        for (Member each : members) {
            if (each != null && each.source == source && source != null) {
                return each;
            }
        }
        return null;
    }

    Member require(int fd, Object source) {
        Member member = find(fd, source);
        if (member == null) {
            throw new NoSuchElementException("not a member: " + (source == null ? "descriptor " + fd : source));
        }
        return member;
    }

    /** The member that had a number before it was closed without being removed, so that it belongs to somebody else now; or null. */
    Member predecessor(int fd) {
        Member there = at(fd);
        return there != null && isGone(there) ? there : null;
    }

    /** Whether a member's source was closed; of a number nobody knows. */
    boolean isGone(Member member) {
        return member.source != null && !Descriptors.isOpen(member.source);
    }

    /** A new member, if there may be one; it is not entered yet. */
    Member admit(int fd, Object source, Object attachment, int events) {
        if (fd < 0 || fd > MOST_DESCRIPTORS) {
            throw new IllegalArgumentException("not a descriptor: " + fd);
        }
        Member there = at(fd);
        if (there != null) {
            throw new IllegalStateException("descriptor " + fd + " is a member already, as " + there.name()
                    + "; modify changes its events");
        }
        if (size == capacity) {
            throw new IllegalStateException("the capacity of " + capacity + " is used up; remove a member, or open a larger Poller");
        }
        Member member = new Member(fd, source, attachment, events);
        member.generation = ++lastGeneration;
        return member;
    }

    /** Enters a member that was admitted and that the mechanism has accepted: its number is a descriptor's. */
    void enter(Member member) {
        reserve(member.fd);
        members[member.fd] = member;
        changed[member.fd] = round;
        size++;
    }

    private void reserve(int fd) {
        if (fd >= members.length) {
            int length = Math.max(fd + 1, members.length * 2);
            changed = Arrays.copyOf(changed, length);
            members = Arrays.copyOf(members, length);
        }
    }

    /** Strikes a member off. */
    void strike(Member member) {
        renew(member);
        member.removed = true;
        members[member.fd] = null;
        size--;
    }

    /** From here on nothing counts that was reported of a member before. */
    void renew(Member member) {
        member.generation = ++lastGeneration;
        changed[member.fd] = round;
    }

    /** The number of the last round. */
    long round() {
        return round;
    }

    /** Somebody goes for events. */
    void beginRound() {
        round++;
    }

    /** Whether a member with this number was changed since the last round began. */
    boolean wasChanged(int fd) {
        return fd < changed.length && changed[fd] == round;
    }

    /** Forgets all: an attachment may know what keeps them. */
    void clear() {
        members = new Member[0];
        size = 0;
    }

    void forEach(Consumer<Member> action) {
        for (Member each : members) {
            if (each != null) {
                action.accept(each);
            }
        }
    }
}
