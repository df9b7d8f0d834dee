// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;

/**
 * The queue of what has arrived at a descriptor that {@link Progress} knows too little of: a datagram socket, a
 * Unix-domain socket, or a listening one. Only Linux lets it be watched.
 *
 * <p>Guarded by the lock of its owner. No allocation.
 */
public final class ArrivalQueue {
    /** {@link #look}: nothing can be told now. */
    public static final long UNTOLD = -1;

    private int fd;
    private int kind = Natives.QUEUE_UNKNOWN;

    /** {@return whether it can be watched} {@link #unwatch} is to follow. */
    public boolean watch(int watched) {
        fd = watched;
        kind = Natives.watchQueue(watched);
        return isWatched();
    }

    public boolean isWatched() {
        return kind != Natives.QUEUE_UNKNOWN;
    }

    /** Whether connections are in it, instead of bytes. */
    public boolean isListening() {
        return kind == Natives.QUEUE_CONNECTIONS;
    }

    /** Connections that wait; or of bytes, 1 if there was a read since the last look, and else 0. */
    public long look() {
        return Math.max(UNTOLD, Natives.lookAtQueue(fd, kind));
    }

    /** Ends that. Once more has no effect. */
    public void unwatch() {
        if (isWatched()) {
            Natives.unwatchQueue(fd, kind);
            kind = Natives.QUEUE_UNKNOWN;
        }
    }

    /** Whether the process has a descriptor left, for the next connection. */
    public boolean hasDescriptorLeft() {
        return Natives.hasDescriptorLeft(fd);
    }
}
