// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.EventBuffer;
import dev.pollux.internal.pollset.PollSet;

/**
 * The events that were fetched from the mechanism and not handed out yet. They stay in the {@link PollSet}'s buffer,
 * which no thread may fill again before that. No thread has a share of its own: who is busy with one member holds no
 * other. Guarded by the leadership's monitor. No allocation.
 */
final class ReadyQueue {
    private final PollSet pollSet;
    private final MemberRegistrations registrations;

    /** The entries from next to limit. */
    private int next, limit;

    ReadyQueue(PollSet pollSet, MemberRegistrations registrations) {
        this.pollSet = pollSet;
        this.registrations = registrations;
    }

    boolean isEmpty() {
        return next == limit;
    }

    void put(int count) {
        next = 0;
        limit = count;
    }

    /**
     * Gives a thread what it wants: one member, or its share of what is left if {@code others} want some too.
     *
     * <p>An error may come at any call, for lack of stack or memory. So an entry leaves the queue, and a member becomes
     * disabled, by the assignments that hand it out.
     */
    void take(Awaiter awaiter, int others) {
        while (awaiter.count < awaiter.most && registrations.hasRefused()) {
            MemberState refused = registrations.firstRefused();
            hand(awaiter, refused, PollSet.NVAL);
            refused.unreported = false;
        }
        int share = others == 0 ? awaiter.most
                : Math.min(awaiter.most, awaiter.count + (limit - next + others) / (others + 1));
        while (next < limit && awaiter.count < share) {
            takeEntry(awaiter);
        }
        if (next == limit && limit != 0) {
            pollSet.entries().forget();
            next = limit = 0;
        }
    }

    private void takeEntry(Awaiter awaiter) {
        EventBuffer entries = pollSet.entries();
        MemberState member =
                entries.isWakeup(next) ? null : registrations.reported(entries.fd(next), entries.generation(next));
        int events = member == null ? 0 : registrations.eventsForOwner(member, next);
        if (events != 0) {
            boolean disables = (events & PollSet.NVAL) != 0 || (member.wanted & PollSet.ONESHOT) != 0;
            if (disables) {
                registrations.disarm(member);
            }
            hand(awaiter, member, events);
            // After disarm the mechanism does not report it. But unless it is disabled too, a rebuild or modify would
            // arm it again while this thread has it, and enable would not arm it.
            member.disabled |= disables;
        }
        next++;
    }

    private static void hand(Awaiter awaiter, MemberState member, int events) {
        if (awaiter.descriptors == null) {
            awaiter.give(member, events);
        } else {
            awaiter.descriptors[awaiter.count] = member.fd;
            awaiter.reported[awaiter.count] = (short) events;
        }
        awaiter.count++;
    }
}
