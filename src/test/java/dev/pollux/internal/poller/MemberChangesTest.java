// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.lab.Descriptors;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A channel is closed between the look-up of its descriptor and its addition: the number may be another's by then. */
class MemberChangesTest {

    private final Awaiter awaiter = new Awaiter();
    private DatagramChannel closed;
    private DatagramChannel next;
    private int number;

    @BeforeEach
    void closeAChannelAndReuseItsNumber() throws Exception {
        closed = DatagramChannel.open();
        number = Descriptors.numberOf(closed);
        closed.close();
        next = DatagramChannel.open();
        assertEquals(number, Descriptors.numberOf(next));
    }

    @AfterEach
    void closeTheOther() throws IOException {
        next.close();
    }

    private static Multiplexer open(String mechanism) throws IOException {
        new Poller().close(); // has the library loaded
        return Multiplexer.open(mechanism, 10, IllegalStateException::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "poll"})
    void aChannelThatWasClosedMeanwhileIsRefused(String mechanism) throws Exception {
        Multiplexer multiplexer = open(mechanism);
        assertThrows(ClosedChannelException.class, () -> multiplexer.changes().add(state(closed)));
        assertEquals(0, multiplexer.changes().size());
        assertEquals(false, multiplexer.await(awaiter, 0));
        multiplexer.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "poll"})
    void theNextOwnerOfTheNumberStaysAMember(String mechanism) throws Exception {
        Multiplexer multiplexer = open(mechanism);
        MemberState member = state(next);
        member.setHandle("handle");
        multiplexer.changes().add(member);
        assertThrows(ClosedChannelException.class, () -> multiplexer.changes().add(state(closed)));
        assertSame("handle", multiplexer.changes().find(number));
        assertTrue(multiplexer.await(awaiter, 0));
        assertSame(member, awaiter.begin());
        multiplexer.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "poll"})
    void whatWasRefusedKeepsNothingAlive(String mechanism) throws Exception {
        Multiplexer multiplexer = open(mechanism);
        MemberState member = state(closed);
        member.setHandle("handle");
        assertThrows(ClosedChannelException.class, () -> multiplexer.changes().add(member));
        assertNull(member.handle());
        assertNull(member.source);
        multiplexer.close();
    }

    private MemberState state(DatagramChannel channel) {
        return new MemberState(number, channel, PollSet.OUT);
    }
}
