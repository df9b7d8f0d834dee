// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Members are found by their numbers, and each change of one gives it another generation. */
class MemberTableTest {
    private final MemberTable members = new MemberTable(2);

    @BeforeAll
    static void loadTheLibrary() throws IOException {
        new Poller().close();
    }

    private MemberState entered(int fd) {
        MemberState member = new MemberState(fd, null, 0);
        assertEquals(0, members.admit(member));
        members.enter(member);
        return member;
    }

    @Test
    void aMemberIsFoundUntilItIsStruckOff() {
        MemberState member = entered(0);
        assertSame(member, members.at(0));
        assertEquals(1, members.size());
        members.strike(member);
        assertNull(members.at(0));
        assertEquals(0, members.size());
        assertTrue(member.removed);
    }

    @Test
    void noNumberIsEverOutOfBounds() {
        assertNull(members.at(-1));
        assertNull(members.at(Integer.MAX_VALUE));
    }

    @Test
    void whatIsAMemberIsNotAdmittedAgain() {
        entered(1);
        assertEquals(MemberTable.IS_MEMBER, members.admit(new MemberState(1, null, 0)));
    }

    @Test
    void noMoreAreAdmittedThanThereMayBe() {
        entered(0);
        entered(1);
        assertEquals(MemberTable.NO_CAPACITY, members.admit(new MemberState(2, null, 0)));
    }

    @Test
    void aBogusNumberIsRefusedBeforeTheTableGrows() {
        assertEquals(MemberTable.NOT_OPEN, members.admit(new MemberState(1 << 24, null, 0)));
        assertEquals(0, members.size());
    }

    @Test
    void eachChangeMakesANewGeneration() {
        MemberState member = entered(0);
        int generation = member.generation;
        members.renew(member);
        assertNotEquals(generation, member.generation);
    }

    @Test
    void aChangeCountsForTheRoundInWhichItWasMade() {
        MemberState member = entered(0);
        members.beginRound();
        assertFalse(members.wasChanged());
        members.renew(member);
        assertTrue(members.wasChanged());
    }
}
