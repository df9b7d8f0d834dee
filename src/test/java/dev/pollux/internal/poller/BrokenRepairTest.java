// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.lab.Descriptors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stack ends while all members are registered with a fresh object of the kernel: the next repair goes on. */
class BrokenRepairTest {
    private static final int MEMBERS = 3;

    /** The depths of the stack that are tried: first each frame from its end on, then all again a little off. */
    private static final int LEVELS = 40, OFFSETS = 16;

    private static final int STACK_BYTES = 512 * 1024;

    private final List<Pipe> pipes = new ArrayList<>();
    private PollSet pollSet;
    private MemberTable members;
    private MemberRegistrations registrations;
    private int overflows;

    /** How many frames are left to go back before the repair is made. */
    private int left;

    @BeforeEach
    void haveTheLibraryLoaded() throws IOException {
        new Poller().close();
    }

    @AfterEach
    void close() throws IOException {
        pollSet.close();
        for (Pipe each : pipes) {
            each.source().close();
            each.sink().close();
        }
    }

    private void open(String mechanism) throws Exception {
        pollSet = PollSet.open(mechanism);
        members = new MemberTable(100);
        registrations = new MemberRegistrations(pollSet, members);
        for (int i = 0; i < MEMBERS; i++) {
            addReadable();
        }
    }

    private void addReadable() throws Exception {
        Pipe pipe = Pipe.open();
        pipes.add(pipe);
        pipe.sink().write(ByteBuffer.wrap(new byte[1]));
        MemberState member = new MemberState(Descriptors.numberOf(pipe.source()), pipe.source(), PollSet.IN);
        assertEquals(0, members.admit(member));
        members.enter(member);
        assertEquals(0, registrations.register(member));
    }

    @Tag("load")
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "poll"})
    void everyMemberIsReportedAfterARepairThatBrokeOff(String mechanism) throws Exception {
        open(mechanism);
        for (int i = 0; i < 100; i++) {
            needRebuild();
            registrations.repair(); // has all classes linked: an overflow must not spoil them
        }
        assertEquals(MEMBERS, pollSet.await(0));
        for (int offset = 0; offset < OFFSETS; offset++) {
            for (int level = 0; level < LEVELS; level++) {
                needRebuild();
                repairAtTheEndOfAStack(level, offset);
                registrations.repair();
                assertEquals(MEMBERS, pollSet.await(0), "level " + level + ", offset " + offset);
            }
        }
        assertTrue(overflows > OFFSETS, overflows + " overflows");
    }

    /** Reports what looks like a registration that was left behind, under a number that is used again. */
    private void needRebuild() throws Exception {
        members.beginRound();
        MemberState member = members.at(Descriptors.numberOf(pipes.get(0).source()));
        registrations.reported(member.fd, member.generation - 1);
        assertTrue(registrations.needsRebuild());
    }

    private void repairAtTheEndOfAStack(int level, int offset) throws Exception {
        left = level;
        Thread thread = new Thread(null, () -> shift(offset), "end of stack", STACK_BYTES);
        thread.start();
        thread.join();
    }

    /** Moves the end by a little. */
    private void shift(int offset) {
        if (offset > 0) {
            shift(offset - 1);
        } else {
            descend();
        }
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void descend() {
        try {
            descend();
        } catch (StackOverflowError end) {
            left = Math.max(left, 0);
        }
        if (left-- == 0) {
            repair();
        }
    }

    private void repair() {
        try {
            registrations.repair();
        } catch (StackOverflowError e) {
            overflows++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
