// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.registration;

import dev.pollux.internal.pollset.Awaitable;
import dev.pollux.internal.pollset.EventBuffer;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Waits for a mechanism, and by poll(2) for the descriptors that the mechanism has refused. As long as there are any,
 * poll(2) watches the mechanism's own descriptor as well, so one wait covers both. A wakeup of the mechanism ends it.
 * Guarded by the lock of its owner. Allocates when a descriptor comes or goes.
 */
public final class PollFallback implements Awaitable {
    private final PollSet mechanism;

    /** Opened for the first descriptor and kept; null before. */
    private PollSet poll;

    /** The mechanism's descriptor that {@link #poll} watches, -1 if none. */
    private int handle = -1;

    /** Null before the first. */
    private Set<Integer> watched;

    /** How many that are; looked at by every wait. */
    private int count;

    /** Whether the last wait covered all that is watched: not what the mechanism refused in that wait. */
    private boolean complete;

    public PollFallback(PollSet mechanism) {
        this.mechanism = mechanism;
    }

    /** Whether descriptors can be watched here: the mechanism has a descriptor itself, and poll(2) can be opened. */
    public boolean isPossible() {
        if (poll == null && mechanism.handle() >= 0) {
            try {
                poll = PollSet.open("poll");
            } catch (IOException e) {
                return false; // no descriptor or no memory left: the owner reports the refusal instead
            }
        }
        return poll != null;
    }

    /** How many descriptors are watched here; from other threads a number that may be a moment old. */
    public int size() {
        return count;
    }

    /** Watches a descriptor for these events now, if it {@link #isPossible}: whether there was memory for it. */
    public boolean watch(int fd, int generation, int events) {
        if (watched == null) {
            watched = new HashSet<>();
        }
        if (!watchMechanism() || poll.add(fd, generation, events) != 0) {
            return false;
        }
        watched.add(fd);
        count = watched.size();
        complete = false;
        return true;
    }

    public void forget(int fd) {
        if (count != 0 && watched.remove(fd)) { // mostly there is none: then nothing is boxed and hashed
            count = watched.size();
            poll.remove(fd);
        }
    }

    /** The mechanism's descriptor is another one after it was reopened. */
    private boolean watchMechanism() {
        int now = mechanism.handle();
        if (now != handle) {
            if (handle >= 0) {
                poll.remove(handle);
            }
            handle = poll.add(now, 0, PollSet.IN) == 0 ? now : -1;
        }
        return handle >= 0;
    }

    @Override
    public int handle() {
        return count == 0 ? mechanism.handle() : -1;
    }

    /** The entries that are counted are the mechanism's; {@link #entries} has the others. */
    @Override
    public int await(long nanos) throws IOException {
        return count == 0 ? mechanism.await(nanos) : awaitBoth(nanos);
    }

    private int awaitBoth(long nanos) throws IOException {
        poll.entries().forget();
        if (!watchMechanism()) {
            throw new IOException("No memory to wait for what " + mechanism.name() + " has refused");
        }
        int n = mechanism.await(0); // first: it may have kept changes for this
        if (n == INTERRUPTED) {
            return n;
        }
        int others = poll.await(n == 0 ? nanos : 0);
        complete = true;
        if (n != 0) {
            return n;
        }
        return others > 0 ? mechanism.await(0) : others;
    }

    /**
     * The entries of the last wait for what is watched here, null if nothing is. Each wait reports them again. The one
     * for the mechanism's own descriptor has generation 0.
     */
    public EventBuffer entries() throws IOException {
        if (count == 0) {
            return null;
        }
        if (!complete) {
            poll.await(0);
            complete = true;
        }
        return poll.entries();
    }

    /** Gives everything back but the mechanism. */
    public void close() {
        if (poll != null) {
            poll.close();
        }
    }
}
