// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.registration.Registrar;
import java.util.ArrayList;

/**
 * Registers members with the mechanism, and filters the events that it reports of them. Guarded by the leadership's
 * monitor. Allocates when something is refused or stale.
 */
final class MemberRegistrations extends Registrar {
    /** What can be asked of a mechanism; the rest it reports unasked. */
    private static final int ASKED = PollSet.IN | PollSet.OUT | PollSet.PRI | PollSet.RDHUP;

    private static final int UNASKED = PollSet.ERR | PollSet.HUP | PollSet.NVAL;

    private final MemberTable members;

    // Lists, not queues: an ArrayDeque that has no memory to grow loses what it holds.

    /** Changes that wait until there is no leader, in order. */
    private final ArrayList<MemberState> postponed = new ArrayList<>();

    /** Members whose change was refused when no caller could be told; {@link PollSet#NVAL} is reported of them. */
    private final ArrayList<MemberState> refused = new ArrayList<>();

    MemberRegistrations(PollSet pollSet, MemberTable members) {
        super(pollSet);
        this.members = members;
    }

    /** Brings the mechanism in line with what is asked for: 0, or the code with which it refused. */
    int register(MemberState member) {
        finishRebuild();
        boolean keepsDisabled = member.held && pollSet.supportsOneShot();
        if (member.removed || member.disabled && !keepsDisabled) {
            return member.held ? unregister(member) : 0;
        }
        // A disabled member stays, asked for nothing: an error is reported once then, and ignored. To register it again
        // would be more expensive, and would not tell a number that is used again.
        int events = member.disabled ? PollSet.ONESHOT : events(member);
        int code = member.held ? pollSet.modify(member.fd, member.generation, events)
                : pollSet.add(member.fd, member.generation, events);
        if (code == 0) {
            member.held = true;
            member.refusal = 0;
        }
        return code;
    }

    private int unregister(MemberState member) {
        int code = pollSet.remove(member.fd);
        if (code == 0) {
            member.held = false;
        }
        return code;
    }

    private int events(MemberState member) {
        int how = pollSet.supportsOneShot() ? PollSet.ONESHOT | PollSet.EDGE : PollSet.EDGE;
        return member.wanted & (ASKED | how);
    }

    void postpone(MemberState member) {
        if (!member.postponed) {
            postponed.add(member);
            member.postponed = true;
        }
    }

    /** Makes the changes that were kept, if any; whether there were. There is no leader. */
    boolean makePostponed() {
        boolean any = !postponed.isEmpty();
        for (int i = 0; i < postponed.size(); i++) {
            MemberState member = postponed.get(i);
            member.postponed = false;
            int code = register(member);
            if (code != 0 && !member.removed) {
                refuse(member, members.isClosed(member) ? MemberTable.CLOSED : code);
            }
        }
        postponed.clear();
        return any;
    }

    @Override
    protected void registerAll() {
        members.forEach(this::reregister);
    }

    /** Until it is done the member's state is as before, so an error in the middle loses nothing. */
    private void reregister(MemberState member) {
        if (!member.held) {
            return;
        }
        if (!member.disabled) {
            // Who has the number of a closed one now is not to be watched.
            int code = members.isClosed(member) ? MemberTable.CLOSED
                    : pollSet.add(member.fd, member.generation, events(member));
            if (code != 0) {
                refuse(member, members.isClosed(member) ? MemberTable.CLOSED : code);
            }
        }
        member.held = !member.disabled; // refused or disabled before: it is not held any more
    }

    /** Will report of a member that it can't be watched, and not try to before it is enabled again. */
    void refuse(MemberState member, int code) {
        if (!refused.contains(member)) {
            refused.add(member); // first: it may fail for lack of memory, and then the caller tries again
        }
        member.refusal = code;
        member.disabled = true;
        member.unreported = true;
    }

    /** Whether a member that can't be watched is yet to be reported; forgets those that were, or have been changed. */
    boolean hasRefused() {
        while (!refused.isEmpty() && !isToBeReported(refused.get(0))) {
            refused.remove(0);
        }
        return !refused.isEmpty();
    }

    private static boolean isToBeReported(MemberState member) {
        return member.unreported && member.refusal != 0 && member.disabled && !member.removed;
    }

    MemberState firstRefused() {
        return refused.get(0);
    }

    void clear() {
        postponed.clear();
        refused.clear();
    }

    /** The member that an entry is for; null if there is none, or it has been changed since it was fetched. */
    MemberState reported(int fd, int generation) {
        MemberState member = members.at(fd);
        if (member != null && member.generation == generation) {
            return member;
        }
        foundStale(fd, generation, member != null && member.held);
        return null;
    }

    private void foundStale(int fd, int generation, boolean reused) {
        // What was changed since events were fetched is no sign of a registration that was left behind.
        if (!members.wasChanged()) {
            onStaleEvent(fd, generation, reused);
        }
    }

    /** What a member's owner is to be told of an entry: 0 if nothing. */
    int eventsForOwner(MemberState member, int entry) {
        if (member.disabled) {
            if (!member.held) {
                foundStale(member.fd, member.generation, false);
            }
            return 0;
        }
        int events = pollSet.entries().events(entry);
        if (members.isClosed(member)) { // then its number may be another's, or free
            member.refusal = MemberTable.CLOSED;
            return PollSet.NVAL;
        }
        if ((events & (PollSet.FAILED | PollSet.NVAL)) != 0) {
            member.refusal = pollSet.entries().error(entry);
            return PollSet.NVAL;
        }
        int told = events & (member.wanted | UNASKED);
        if ((events & ~told & PollSet.PRI) != 0) {
            PollSet.discardOutOfBand(member.fd); // a mechanism that reports it unasked would do so for ever
        }
        return told;
    }

    /** Sees to it that the mechanism reports a member no more: it is invalid, or one-shot. */
    void disarm(MemberState member) {
        boolean disarmed = member.refusal == 0 && pollSet.supportsOneShot();
        if (!disarmed && member.held && unregister(member) != 0) {
            onFailedRemoval();
        }
    }

    /** Undoes a report of which the owner was not told after all: whether the mechanism must be told something. */
    boolean takeBack(MemberState member, int events) {
        if ((events & PollSet.NVAL) != 0) {
            refuse(member, member.refusal);
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
