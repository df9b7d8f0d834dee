// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.jdk.SourceNames;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;

/**
 * Members come, change and go, also while there is a leader in the mechanism. Safe for use by many threads; everything
 * happens under the leadership's monitor. No allocation, unless something is refused.
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

    /** Adds a member; throws if it is refused, or its source was closed, so that its number may be another's. */
    public void add(MemberState member) throws IOException {
        if (member.fd < 0) {
            throw new IllegalArgumentException("not a descriptor: " + member.fd);
        }
        Object source = member.source;
        int code;
        synchronized (leadership) {
            leadership.requireOpen();
            code = addUnlessClosed(member);
        }
        if (code == MemberTable.CLOSED) {
            Descriptors.of(source); // throws what it throws of a source that was closed before
        }
        throwIfRefused(source, member.fd, code);
    }

    private int addUnlessClosed(MemberState member) {
        MemberState predecessor = members.predecessor(member.fd);
        int code = predecessor == null || members.isClosed(member) ? 0 : strike(predecessor);
        boolean entered = false;
        try {
            code = code == 0 ? members.admit(member) : code;
            code = code == 0 ? change(member) : code;
            if (code == 0 && members.isClosed(member)) { // so it may be another one that the mechanism watches now
                code = MemberTable.CLOSED;
            }
            if (code == 0) {
                members.enter(member);
                entered = true;
            }
        } finally {
            if (!entered) {
                withdraw(member);
            }
        }
        return code;
    }

    /** A member that was not entered will not be reported. */
    private void withdraw(MemberState member) {
        member.release();
        if (member.held) {
            change(member);
        }
    }

    /** Changes the events of a member. A disabled one is watched for them now if that enables it, else once enabled. */
    public void modify(MemberState member, int events, boolean enables) throws IOException {
        Object source;
        int code;
        synchronized (leadership) {
            requireMember(member);
            source = member.source;
            code = enables || !member.disabled ? watch(member, events) : expect(member, events);
        }
        throwIfRefused(source, member.fd, code);
    }

    private int expect(MemberState member, int events) {
        if (members.isClosed(member)) {
            return MemberTable.CLOSED;
        }
        member.wanted = events;
        return 0;
    }

    public void enable(MemberState member) throws IOException {
        Object source;
        int code;
        synchronized (leadership) {
            requireMember(member);
            source = member.source;
            code = member.disabled ? watch(member, member.wanted) : 0;
        }
        throwIfRefused(source, member.fd, code);
    }

    /** Has an enabled member watched for events; all is as it was before if that is refused, or breaks off. */
    private int watch(MemberState member, int events) {
        if (members.isClosed(member)) {
            return MemberTable.CLOSED;
        }
        boolean wasDisabled = member.disabled;
        int before = member.wanted;
        int generation = member.generation;
        boolean done = false;
        try {
            member.disabled = false;
            member.wanted = events;
            members.renew(member);
            int code = change(member);
            done = code == 0;
            return code;
        } finally {
            if (!done) {
                member.disabled = wasDisabled;
                member.wanted = before;
                member.generation = generation;
            }
        }
    }

    /** Does not watch a member for a while; the system's refusal does not change that. */
    public void disable(MemberState member) throws IOException {
        Object source;
        int code;
        synchronized (leadership) {
            requireMember(member);
            source = member.source;
            member.disabled = true; // if a report has done so already, that may still be on its way to a handler
            members.renew(member);
            code = change(member);
        }
        throwIfRefused(source, member.fd, code);
    }

    /** Strikes a member off, unless it is off already, as all are when closed; a refusal does not change that. */
    public void remove(MemberState member) throws IOException {
        Object source;
        int code;
        synchronized (leadership) {
            source = member.source;
            code = member.removed || leadership.closed ? 0 : strike(member);
        }
        throwIfRefused(source, member.fd, code);
    }

    private int strike(MemberState member) {
        members.strike(member);
        return change(member);
    }

    /** Undoes a report that its thread has not begun with: the member will be reported again. */
    void takeBack(MemberState member, int events) {
        if (registrations.takeBack(member, events)) {
            int code = change(member);
            if (code != 0) {
                registrations.refuse(member, code);
            }
        }
        if (registrations.hasRefused()) {
            leadership.wakeLeader();
        }
    }

    /** Tells the mechanism of a change, now or as soon as it can be told: 0, or the code with which it refused. */
    private int change(MemberState member) {
        assert Thread.holdsLock(leadership);
        if (pollSet.isLive()) {
            return registrations.register(member);
        }
        if (leadership.leader != null) {
            registrations.postpone(member);
            leadership.wakeLeader();
            return 0;
        }
        int code = registrations.register(member);
        leadership.wakeLeader(); // there is none, but the mechanism may make the change in its next wait only
        return code;
    }

    // What is refused leaves the monitor as a code. Exceptions are made without it: they name the source, whose
    // toString may be foreign code, or wait for a lock that a lingering close holds.

    /** Throws unless the code is 0. The source is null if a number was added. */
    private void throwIfRefused(Object source, int fd, int code) throws IOException {
        switch (code) {
            case 0:
                return;
            case MemberTable.IS_MEMBER:
                throw new IllegalStateException(name(source, fd) + " is a member already; modify changes its events");
            case MemberTable.NO_CAPACITY:
                throw new IllegalStateException("the capacity of " + members.capacity
                        + " is used up; remove a member, or open a larger Poller");
            default:
                throw exception(source, fd, code);
        }
    }

    private IOException exception(Object source, int fd, int code) {
        String name = name(source, fd);
        return switch (code) {
            case MemberTable.CLOSED -> new IOException("closed without being removed: " + name);
            case MemberTable.NOT_OPEN -> new IOException("not an open descriptor (EBADF): " + name);
            default -> pollSet.refusal(name, code);
        };
    }

    private static String name(Object source, int fd) {
        return source == null ? "descriptor " + fd : Printable.of(SourceNames.of(source, fd));
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

    public int events(MemberState member) {
        synchronized (leadership) {
            return member.wanted;
        }
    }

    /** Why a member can't be watched, or null. */
    public IOException refusal(MemberState member) {
        Object source;
        int code;
        synchronized (leadership) {
            source = member.source;
            code = member.refusal;
        }
        return code == 0 ? null : exception(source, member.fd, code);
    }

    public int size() {
        synchronized (leadership) {
            leadership.requireOpen();
            return members.size();
        }
    }
}
