// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import java.util.ArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait until one of them may lead, or take what another one has fetched. Guarded by the leadership's
 * monitor. Allocates when there are more followers than ever before.
 */
final class Followers {
    /** The latest is promoted first: its caches are warm. */
    private final ArrayList<Awaiter> followers = new ArrayList<>();

    /** A follower that was unparked and has not arrived; it will promote the next one. */
    Awaiter promoted;

    int count() {
        return followers.size();
    }

    void enqueue(Awaiter awaiter) {
        awaiter.thread = Thread.currentThread();
        awaiter.queued = true;
        followers.add(awaiter);
    }

    /** A thread no longer waits for its turn, whether it was promoted or not. */
    void arrive(Awaiter awaiter) {
        if (awaiter.queued) {
            followers.remove(awaiter);
            awaiter.queued = false;
        }
        awaiter.thread = null; // it may end, and this is reachable for longer
        promoted = promoted == awaiter ? null : promoted;
    }

    /** Promotes a follower, unless another one is on its way: whether one is then. */
    boolean promote() {
        while (promoted == null && !followers.isEmpty()) {
            Awaiter follower = followers.get(followers.size() - 1);
            if (follower.queued) { // else its thread broke off
                LockSupport.unpark(follower.thread);
                follower.queued = false; // after it was unparked: an error must not make it wait for ever
                promoted = follower;
            }
            followers.remove(followers.size() - 1);
        }
        return promoted != null;
    }
}
