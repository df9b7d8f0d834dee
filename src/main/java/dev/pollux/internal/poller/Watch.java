// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.StaleRegistrations;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * What the mechanism is told of members, and what it tells of them.
 *
 * <p>Guarded by the entrance's monitor. Allocates when something is refused or stale.
 */
final class Watch {
    /** What can be asked of a mechanism; the rest it reports unasked. */
    private static final int ASKED = PollSet.IN | PollSet.OUT | PollSet.PRI | PollSet.RDHUP;

    private static final int UNASKED = PollSet.ERR | PollSet.HUP | PollSet.NVAL;

    private final PollSet pollSet;
    private final Members members;
    private final StaleRegistrations stale = new StaleRegistrations();

    /** Changes that wait until nobody is in the mechanism, in order. */
    private final ArrayDeque<Member> postponed = new ArrayDeque<>();

    /** Members whose change was refused when nobody could be told; {@link PollSet#NVAL} is reported of them. */
    private final ArrayDeque<Member> refused = new ArrayDeque<>();

    Watch(PollSet pollSet, Members members) {
        this.pollSet = pollSet;
        this.members = members;
    }

    /** Tells the mechanism what is asked for: 0, or the code with which it refused. */
    int tell(Member member) {
        int want = want(member);
        if (want == 0 && member.held == 0) {
            return 0;
        }
        int code = want == 0 ? pollSet.remove(member.fd)
                : member.held == 0 ? pollSet.add(member.fd, member.generation, want)
                : pollSet.modify(member.fd, member.generation, want);
        if (code == 0) {
            member.held = want;
        }
        return code;
    }

    /** Who asks for no event wants to hear of errors; 0 would be a removal. */
    private int want(Member member) {
        if (member.removed) {
            return 0;
        }
        boolean once = pollSet.supportsOneShot();
        if (member.disabled) {
            // An error is reported once then, and ignored; but to register anew is dearer, and does not tell a reused number.
            return once && member.held != 0 ? PollSet.ERR | PollSet.ONESHOT : 0;
        }
        int how = member.wanted & (once ? PollSet.ONESHOT | PollSet.EDGE : PollSet.EDGE);
        return member.wanted & ASKED | how | PollSet.ERR;
    }

    IOException refusal(Member member, int code) {
        return pollSet.refusal(member.name(), member.fd, code);
    }

    /** Keeps a change for when nobody is in the mechanism. */
    void postpone(Member member) {
        if (!member.postponed) {
            member.postponed = true;
            postponed.add(member);
        }
    }

    /** Makes the changes that were kept: nobody is in the mechanism. */
    void makePostponed() {
        while (!postponed.isEmpty()) {
            Member member = postponed.poll();
            member.postponed = false;
            tellOrRefuse(member);
        }
    }

    /** Replaces the kernel's object if it holds what can't be taken away: nobody is in the mechanism. */
    void repair() throws IOException {
        if (stale.areIrremovable()) {
            pollSet.reopen();
            members.forEach(this::tellAnew);
            stale.areGone();
        }
    }

    private void tellAnew(Member member) {
        member.held = 0;
        if (members.isGone(member)) {
            refuse(member); // else whoever has the number now would be watched
        } else {
            tellOrRefuse(member);
        }
    }

    private void tellOrRefuse(Member member) {
        if (tell(member) != 0 && !member.removed) {
            refuse(member);
        }
    }

    /** Will report of a member that it can't be watched, and not try to before it is enabled again. */
    void refuse(Member member) {
        member.disabled = true;
        if (!refused.contains(member)) {
            refused.add(member);
        }
    }

    /** Whether there is a member that can't be watched and that nobody has been told of; forgets those that have been changed since. */
    boolean hasRefused() {
        while (!refused.isEmpty() && (refused.peek().removed || !refused.peek().disabled)) {
            refused.poll();
        }
        return !refused.isEmpty();
    }

    Member takeRefused() {
        return refused.poll();
    }

    void clear() {
        postponed.clear();
        refused.clear();
    }

    /** The member that an entry is for; null if there is none, or it has been changed since it was fetched. */
    Member reported(int fd, int generation) {
        Member member = members.at(fd);
        if (member != null && member.generation == generation) {
            return member;
        }
        // What was changed since events were fetched is no sign of a registration that was left behind.
        if (!members.wasChanged(fd)) {
            stale.found(fd, generation, member != null && member.held != 0, pollSet);
        }
        return null;
    }

    /** What a member's owner is to be told of events: 0 if nothing. A member that is told of once is disabled by that. */
    int tellOwner(Member member, int events) {
        if (member.disabled) {
            return 0;
        }
        int told = (events & PollSet.FAILED) != 0 ? PollSet.NVAL : events & (member.wanted | UNASKED);
        if ((events & ~told & PollSet.PRI) != 0) {
            PollSet.discardOutOfBand(member.fd); // a mechanism that reports it unasked would do so for ever
        }
        boolean invalid = (told & PollSet.NVAL) != 0;
        if (invalid || told != 0 && (member.wanted & PollSet.ONESHOT) != 0) {
            member.disabled = true;
            if ((invalid || !pollSet.supportsOneShot()) && tell(member) != 0) {
                stale.foundIrremovable();
            }
        }
        return told;
    }

    /** Undoes {@link #tellOwner}, since the owner was not told after all: whether the mechanism must be told something. */
    boolean takeBack(Member member, int events) {
        if ((events & PollSet.NVAL) != 0) {
            refuse(member);
            return false;
        }
        boolean again = (member.wanted & (PollSet.ONESHOT | PollSet.EDGE)) != 0;
        if (again) {
            member.disabled = false;
            members.renew(member);
        }
        return again;
    }
}
