// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.StaleRegistrations;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The members of a {@link Multiplexer} by descriptor, and what the mechanism is told of them.
 *
 * <p>Guarded by the multiplexer's monitor. Allocates to grow, and when something is refused or stale.
 */
final class Membership {
    /** What can be asked of a mechanism; the rest it reports unasked. */
    private static final int ASKED = PollSet.IN | PollSet.OUT | PollSet.PRI | PollSet.RDHUP;

    private static final int UNASKED = PollSet.ERR | PollSet.HUP | PollSet.NVAL;

    private final PollSet pollSet;
    private final StaleRegistrations stale = new StaleRegistrations();
    private Member[] members = new Member[64];
    private int size;

    /** By descriptor: during which fetch it was changed last. */
    private long[] changed = new long[64];

    /** How often events were fetched. */
    private long fetch;

    private int lastGeneration;

    /** Changes that wait until nobody is in the mechanism, in order. */
    private final ArrayDeque<Member> pending = new ArrayDeque<>();

    /** Members whose change was refused when nobody could be told; {@link PollSet#NVAL} is reported of them. */
    private final ArrayDeque<Member> refused = new ArrayDeque<>();

    Membership(PollSet pollSet) {
        this.pollSet = pollSet;
    }

    int size() {
        return size;
    }

    /** The member with this descriptor, or null. */
    Member at(int fd) {
        return fd >= 0 && fd < members.length ? members[fd] : null;
    }

    /** The member that was added as this source, also if it has been closed since; or null. */
    Member of(Object source) {
        for (Member each : members) {
            if (each != null && each.source == source) {
                return each;
            }
        }
        return null;
    }

    /** Whether a member's source was closed without being removed: its number belongs to somebody else now. */
    static boolean isGone(Member member) {
        return member.source != null && !Descriptors.isOpen(member.source);
    }

    /** Enters a member, of which the mechanism is not told yet. */
    void enter(Member member) {
        int fd = member.fd;
        if (fd >= members.length) {
            int length = Math.max(fd + 1, members.length * 2);
            changed = Arrays.copyOf(changed, length);
            members = Arrays.copyOf(members, length);
        }
        members[fd] = member;
        size++;
        renew(member);
    }

    /** Strikes a member off, of which the mechanism is not told yet. */
    void strike(Member member) {
        renew(member);
        member.removed = true;
        members[member.fd] = null;
        size--;
    }

    /** From here on nothing counts that was reported of a member before. */
    void renew(Member member) {
        member.generation = ++lastGeneration;
        changed[member.fd] = fetch;
    }

    /** Tells the mechanism what is asked for: 0, or the code with which it refused. */
    int tell(Member member) {
        int want = member.disabled || member.removed ? 0 : armed(member.wanted);
        int code = 0;
        if (want != 0 || member.held != 0) {
            code = pollSet.update(member.fd, member.generation, member.held,
                    want != 0 && member.held != 0 ? want | PollSet.CERTAIN : want);
            member.held = code == 0 ? want : member.held;
        }
        return code;
    }

    /** Never 0, which would be a removal: who asks for no event wants to hear of errors. */
    private int armed(int wanted) {
        int how = wanted & (pollSet.armsOnce() ? PollSet.ONESHOT | PollSet.EDGE : PollSet.EDGE);
        return wanted & ASKED | how | PollSet.ERR;
    }

    IOException refusal(Member member, int code) {
        return pollSet.refusal(member.name(), member.fd, code);
    }

    /** Keeps a change for when nobody is in the mechanism. */
    void postpone(Member member) {
        if (!member.pending) {
            member.pending = true;
            pending.add(member);
        }
    }

    /** Makes the changes that were kept: nobody is in the mechanism. */
    void makePostponed() {
        while (!pending.isEmpty()) {
            Member member = pending.poll();
            member.pending = false;
            tellOrRefuse(member);
        }
    }

    /** Replaces the kernel's object if it holds what can't be taken away: nobody is in the mechanism. */
    void repair() throws IOException {
        if (stale.areIrremovable()) {
            pollSet.reopen();
            stale.areGone();
            for (Member each : members) {
                if (each != null) {
                    each.held = 0;
                    tellOrRefuse(each);
                }
            }
        }
    }

    private void tellOrRefuse(Member member) {
        if (tell(member) != 0 && !member.removed) {
            refuse(member);
        }
    }

    /** Will report of a member that it can't be watched, and does not try to before it is enabled again. */
    void refuse(Member member) {
        member.disabled = true;
        refused.add(member);
    }

    /** Somebody goes into the mechanism. */
    void beginFetch() {
        fetch++;
    }

    /** Whether there is a member that can't be watched and that nobody has been told of. */
    boolean hasRefused() {
        while (!refused.isEmpty() && (refused.peek().removed || !refused.peek().disabled)) {
            refused.poll();
        }
        return !refused.isEmpty();
    }

    Member takeRefused() {
        return refused.poll();
    }

    /** The member that an entry of the last fetch is for; null if there is none, or it has been changed since. */
    Member reported(int fd, int generation) {
        Member member = at(fd);
        if (member != null && member.generation == generation && !member.disabled) {
            return member;
        }
        // What was changed since events were fetched is no sign of a registration that was left behind.
        if (fd >= changed.length || changed[fd] < fetch) {
            stale.found(fd, generation, member != null && member.held != 0, pollSet);
        }
        return null;
    }

    /** What a member's owner is told of an entry: 0 if nothing. A member that is told of once is disabled by that. */
    int tellOwner(Member member, int events) {
        int told = (events & PollSet.FAILED) != 0 ? PollSet.NVAL : events & (member.wanted | UNASKED);
        if ((events & ~told & PollSet.PRI) != 0) {
            pollSet.discardUrgent(member.fd); // a mechanism that reports it unasked would do so for ever
        }
        boolean invalid = (told & PollSet.NVAL) != 0;
        if (told != 0 && (invalid || (member.wanted & PollSet.ONESHOT) != 0)) {
            member.disabled = true;
            if (invalid || !pollSet.armsOnce()) {
                tell(member);
            }
        }
        return told;
    }

    /** Undoes {@link #tellOwner}, since the owner was not told after all: whether the mechanism must be told again. */
    boolean takeBack(Member member, int events) {
        if ((events & PollSet.NVAL) != 0) {
            refuse(member);
            return false;
        }
        boolean again = (member.wanted & (PollSet.ONESHOT | PollSet.EDGE)) != 0;
        if (again) {
            member.disabled = false;
            renew(member);
        }
        return again;
    }
}
