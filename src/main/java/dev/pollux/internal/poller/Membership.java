// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;

/**
 * What is asked for: members come, change and go, also while a thread is in the mechanism.
 *
 * <p>Safe for use by many threads; everything happens under the entrance's monitor. A new member is an object,
 * nothing else allocates.
 */
public final class Membership {
    private final PollSet pollSet;
    private final Members members;
    private final Watch watch;
    private final Entrance entrance;

    Membership(PollSet pollSet, Members members, Watch watch, Entrance entrance) {
        this.pollSet = pollSet;
        this.members = members;
        this.watch = watch;
        this.entrance = entrance;
    }

    /** Adds a source (a canonical one), or a number if that is null. */
    public void add(int fd, Object source, int events, Object attachment) throws IOException {
        synchronized (entrance) {
            entrance.requireOpen();
            Member predecessor = members.predecessor(fd);
            if (predecessor != null) {
                remove(predecessor);
            }
            Member member = members.admit(fd, source, attachment, events);
            changeOrThrow(member);
            members.enter(member);
        }
    }

    /** Changes the events of a member and enables it. */
    public void modify(int fd, Object source, int events) throws IOException {
        synchronized (entrance) {
            entrance.requireOpen();
            watch(members.require(fd, source), events);
        }
    }

    /** Watches a disabled member again. */
    public void enable(int fd, Object source) throws IOException {
        synchronized (entrance) {
            entrance.requireOpen();
            Member member = members.require(fd, source);
            if (member.disabled) {
                watch(member, member.wanted);
            }
        }
    }

    /** Has an enabled member watched for events; all is as it was before if that is refused. */
    private void watch(Member member, int events) throws IOException {
        boolean wasDisabled = member.disabled;
        int before = member.wanted;
        int generation = member.generation;
        member.disabled = false;
        member.wanted = events;
        members.renew(member);
        int code = change(member);
        if (code != 0) {
            member.disabled = wasDisabled;
            member.wanted = before;
            member.generation = generation;
            throw watch.refusal(member, code);
        }
    }

    /** Does not watch a member for a while; the system's refusal does not change that. */
    public void disable(int fd, Object source) throws IOException {
        synchronized (entrance) {
            entrance.requireOpen();
            Member member = members.require(fd, source);
            member.disabled = true; // if a report has done so already, that may still be on its way to a handler
            members.renew(member);
            changeOrThrow(member);
        }
    }

    /** Strikes a member off; the system's refusal does not change that. */
    public void remove(int fd, Object source) throws IOException {
        synchronized (entrance) {
            entrance.requireOpen();
            remove(members.require(fd, source));
        }
    }

    private void remove(Member member) throws IOException {
        members.strike(member);
        changeOrThrow(member);
    }

    private void changeOrThrow(Member member) throws IOException {
        int code = change(member);
        if (code != 0) {
            throw watch.refusal(member, code);
        }
    }

    /** Tells the mechanism of a change, now or as soon as it can be told: 0, or the code with which it refused. */
    int change(Member member) {
        assert Thread.holdsLock(entrance);
        if (entrance.isTaken() && !pollSet.isLive()) {
            watch.postpone(member);
            entrance.callOut();
            return 0;
        }
        return watch.tell(member);
    }

    /** Whether there is such a member, enabled or not. */
    public boolean isMember(int fd, Object source) {
        synchronized (entrance) {
            entrance.requireOpen();
            return members.find(fd, source) != null;
        }
    }

    /** How many members there are. */
    public int size() {
        synchronized (entrance) {
            entrance.requireOpen();
            return members.size();
        }
    }
}
