// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One follower is promoted at a time, the latest first. */
class FollowersTest {
    private final Followers followers = new Followers();
    private final Awaiter first = new Awaiter();
    private final Awaiter second = new Awaiter();

    /** A follower is this thread, so it was unparked; the next park of a test must not end by that. */
    @AfterEach
    void takeWhatWasUnparked() {
        LockSupport.parkNanos(1);
    }

    @Test
    void nobodyIsPromotedWhereNobodyFollows() {
        assertFalse(followers.promote());
    }

    @Test
    void theLatestFollowerIsPromotedFirst() {
        followers.enqueue(first);
        followers.enqueue(second);
        assertTrue(followers.promote());
        assertSame(second, followers.promoted);
        assertEquals(1, followers.count());
    }

    @Test
    void nobodyElseIsPromotedBeforeTheFirstHasArrived() {
        followers.enqueue(first);
        followers.enqueue(second);
        assertTrue(followers.promote());
        assertTrue(followers.promote());
        assertEquals(1, followers.count());
        followers.arrive(second);
        assertTrue(followers.promote());
        assertSame(first, followers.promoted);
    }

    @Test
    void aFollowerThatArrivesByItselfIsNoFollowerAnyMore() {
        followers.enqueue(first);
        followers.arrive(first);
        assertEquals(0, followers.count());
        assertFalse(followers.promote());
        assertNull(first.thread);
    }

    @Test
    void aFollowerWhoseThreadBrokeOffIsPassedOver() {
        followers.enqueue(first);
        followers.enqueue(second);
        second.queued = false;
        assertTrue(followers.promote());
        assertSame(first, followers.promoted);
        assertEquals(0, followers.count());
    }
}
