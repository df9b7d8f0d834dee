// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import java.io.IOException;

/**
 * One thread in {@link Multiplexer#await}: its place among the followers, and what it is given. Filled under the
 * leadership's monitor. No allocation.
 */
public final class Awaiter {
    /** Receive descriptors and events of several members; null if one member at a time is wanted. */
    int[] descriptors;
    short[] reported;

    /** How many members it may be given, and how many it was. */
    int most;
    int count;

    /** The member that it was given, where it wants one at a time; null if it has begun with that. */
    MemberState member;

    /** That member's events and generation when it was given. */
    private int events;
    private int generation;

    /** The round in which it was given something. */
    long round;

    /** The thread that waits for its turn, written before this is queued, and whether it is among the followers. */
    Thread thread;
    boolean queued;

    /** Why the kernel's object could not be replaced: thrown if nothing is ready. */
    IOException failure;

    void wantOne() {
        wantSeveral(null, null, 1);
    }

    void wantSeveral(int[] intoDescriptors, short[] intoEvents, int atMost) {
        descriptors = intoDescriptors;
        reported = intoEvents;
        most = atMost;
        count = 0;
        failure = null;
    }

    /** Gives it a member. The caller has nothing more to do that could fail: a call could, for lack of stack. */
    void give(MemberState given, int itsEvents) {
        member = given;
        events = itsEvents;
        generation = given.generation;
    }

    /** Whether it holds a member that its thread has not begun with, and that has not been changed since. */
    boolean isUnfinished() {
        return member != null && member.generation == generation && !member.removed;
    }

    public int events() {
        return events;
    }

    public long round() {
        return round;
    }

    public MemberState begin() {
        MemberState begun = member;
        member = null;
        return begun;
    }
}
