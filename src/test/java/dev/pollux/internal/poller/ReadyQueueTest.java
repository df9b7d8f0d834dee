// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.lab.Descriptors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was fetched is handed out once, to whoever comes next, and what was refused is reported once. */
class ReadyQueueTest {
    private static final int EBADF = 9;

    private final List<Pipe> pipes = new ArrayList<>();
    private final Awaiter awaiter = new Awaiter();
    private PollSet pollSet;
    private MemberTable members;
    private MemberRegistrations registrations;
    private ReadyQueue ready;

    @BeforeEach
    void open() throws IOException {
        new Poller().close(); // has the library loaded
        pollSet = PollSet.open("poll");
        members = new MemberTable(100);
        registrations = new MemberRegistrations(pollSet, members);
        ready = new ReadyQueue(pollSet, registrations);
    }

    @AfterEach
    void close() throws IOException {
        pollSet.close();
        for (Pipe each : pipes) {
            each.source().close();
            each.sink().close();
        }
    }

    private MemberState readable(int events) throws Exception {
        Pipe pipe = Pipe.open();
        pipes.add(pipe);
        pipe.sink().write(ByteBuffer.wrap(new byte[1]));
        MemberState member = new MemberState(Descriptors.numberOf(pipe.source()), null, events);
        assertEquals(0, members.admit(member));
        members.enter(member);
        assertEquals(0, registrations.register(member));
        return member;
    }

    private void fetch() throws IOException {
        members.beginRound();
        ready.put(pollSet.await(0));
    }

    private int take(int most, int others) {
        awaiter.wantSeveral(new int[most], new short[most], most);
        ready.take(awaiter, others);
        return awaiter.count;
    }

    @Test
    void oneMemberIsTakenAtATime() throws Exception {
        MemberState first = readable(PollSet.IN);
        MemberState second = readable(PollSet.IN);
        fetch();
        awaiter.wantOne();
        ready.take(awaiter, 0);
        assertSame(first, awaiter.begin());
        assertFalse(ready.isEmpty());
        awaiter.wantOne();
        ready.take(awaiter, 0);
        assertSame(second, awaiter.begin());
        assertTrue(ready.isEmpty());
    }

    @Test
    void arraysTakeEverythingIfNobodyElseWaits() throws Exception {
        for (int i = 0; i < 9; i++) {
            readable(PollSet.IN);
        }
        fetch();
        assertEquals(9, take(100, 0));
    }

    @Test
    void arraysTakeTheirShareIfOthersWait() throws Exception {
        for (int i = 0; i < 9; i++) {
            readable(PollSet.IN);
        }
        fetch();
        assertEquals(3, take(100, 2));
        assertEquals(2, take(2, 0));
        assertEquals(4, take(100, 0));
    }

    @Test
    void aOneShotMemberIsDisabledWhenItIsHandedOut() throws Exception {
        MemberState member = readable(PollSet.IN | PollSet.ONESHOT);
        fetch();
        assertEquals(1, take(10, 0));
        assertTrue(member.disabled);
        fetch();
        assertEquals(0, take(10, 0));
    }

    @Test
    void whatWasChangedSinceItWasFetchedIsNotHandedOut() throws Exception {
        MemberState member = readable(PollSet.IN);
        fetch();
        members.renew(member);
        assertEquals(0, take(10, 0));
        assertTrue(ready.isEmpty());
    }

    @Test
    void aRefusedMemberIsReportedOnce() throws Exception {
        MemberState member = readable(PollSet.IN);
        registrations.refuse(member, EBADF);
        registrations.refuse(member, EBADF);
        assertEquals(1, take(10, 0));
        assertEquals(PollSet.NVAL, awaiter.reported[0]);
        assertEquals(0, take(10, 0));
    }

    @Test
    void aRefusedMemberIsNotReportedAfterItWasWatchedAndDisabledAgain() throws Exception {
        MemberState member = readable(PollSet.IN);
        registrations.refuse(member, EBADF);
        member.disabled = false;
        assertEquals(0, registrations.register(member));
        member.disabled = true;
        assertEquals(0, take(10, 0));
    }

    @Test
    void aRemovedMemberIsNotReportedAsRefused() throws Exception {
        MemberState member = readable(PollSet.IN);
        registrations.refuse(member, EBADF);
        members.strike(member);
        awaiter.wantOne();
        ready.take(awaiter, 0);
        assertNull(awaiter.member);
    }
}
