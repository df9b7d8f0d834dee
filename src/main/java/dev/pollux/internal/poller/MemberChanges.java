// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;

/**
 * Members come, change and go, also while there is a leader in the mechanism.
 *
 * <p>Safe for use by many threads; everything happens under the leadership's monitor. No allocation, unless something
 * is refused.
 */
public final class MemberChanges {
    private final PollSet pollSet;
    private final MemberTable members;
    private final MemberRegistrations registrations;
    private final Leadership leadership;

    MemberChanges(PollSet pollSet, MemberTable members, MemberRegistrations registrations, Leadership leadership) {
        this.pollSet = pollSet;
        this.members = members;
        this.registrations = registrations;
        this.leadership = leadership;
    }

    /** Adds a member. */
    public void add(MemberState member) throws IOException {
        synchronized (leadership) {
            leadership.requireOpen();
            MemberState predecessor = members.predecessor(member.fd);
            if (predecessor != null) {
                removeMember(predecessor);
            }
            members.admit(member);
            changeOrThrow(member);
            members.enter(member);
        }
    }

    /** Changes the events of a member and enables it. */
    public void modify(MemberState member, int events) throws IOException {
        synchronized (leadership) {
            requireMember(member);
            watch(member, events);
        }
    }

    /** Watches a disabled member again. */
    public void enable(MemberState member) throws IOException {
        synchronized (leadership) {
            requireMember(member);
            if (member.disabled) {
                watch(member, member.wanted);
            }
        }
    }

    /** Has an enabled member watched for events; all is as it was before if that is refused. */
    private void watch(MemberState member, int events) throws IOException {
        if (members.isClosed(member)) {
            throw new IOException("closed, so that it can't be watched: " + member.name());
        }
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
            throw registrations.refusal(member.name(), code);
        }
    }

    /** Does not watch a member for a while; the system's refusal does not change that. */
    public void disable(MemberState member) throws IOException {
        synchronized (leadership) {
            requireMember(member);
            member.disabled = true; // if a report has done so already, that may still be on its way to a handler
            members.renew(member);
            changeOrThrow(member);
        }
    }

    /** Strikes a member off, unless it is off already; the system's refusal does not change that. */
    public void remove(MemberState member) throws IOException {
        synchronized (leadership) {
            leadership.requireOpen();
            if (!member.removed) {
                removeMember(member);
            }
        }
    }

    private void removeMember(MemberState member) throws IOException {
        String name = member.name();
        members.strike(member);
        int code = change(member);
        if (code != 0) {
            throw registrations.refusal(name, code);
        }
    }

    private void changeOrThrow(MemberState member) throws IOException {
        int code = change(member);
        if (code != 0) {
            throw registrations.refusal(member.name(), code);
        }
    }

    /** Tells the mechanism of a change, now or as soon as it can be told: 0, or the code with which it refused. */
    int change(MemberState member) {
        assert Thread.holdsLock(leadership);
        if (pollSet.isLive()) {
            return registrations.register(member);
        }
        if (leadership.hasLeader()) {
            registrations.postpone(member);
            leadership.wakeLeader();
            return 0;
        }
        int code = registrations.register(member);
        leadership.wakeLeader(); // there is none, but the mechanism may make the change in its next wait only
        return code;
    }

    private void requireMember(MemberState member) {
        leadership.requireOpen();
        if (member.removed) {
            throw new IllegalStateException("no member any more: descriptor " + member.fd);
        }
    }

    /** The member with a descriptor: what its owner calls it, or null. */
    public Object find(int fd) {
        synchronized (leadership) {
            leadership.requireOpen();
            MemberState member = members.at(fd);
            return member == null ? null : member.handle();
        }
    }

    /** The member with a source (a canonical one): what its owner calls it, or null. */
    public Object find(Object source) {
        int fd = Descriptors.ofOpen(source); // before the monitor is taken: the source's own code may be called
        synchronized (leadership) {
            leadership.requireOpen();
            MemberState member = members.of(source, fd);
            return member == null ? null : member.handle();
        }
    }

    /** What a member is watched for. */
    public int events(MemberState member) {
        synchronized (leadership) {
            return member.wanted;
        }
    }

    /** Why a member can't be watched, or null. */
    public IOException refusal(MemberState member) {
        synchronized (leadership) {
            return member.refusal;
        }
    }

    /** How many members there are. */
    public int size() {
        synchronized (leadership) {
            leadership.requireOpen();
            return members.size();
        }
    }
}
