// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;

/**
 * The queue of what has arrived at a descriptor that {@link Progress} knows too little of: a datagram socket, a
 * Unix-domain socket, or a listening one. Only Linux lets it be watched. Guarded by the lock of its owner. No
 * allocation.
 */
public final class ArrivalQueue {
    /** {@link #takeChange}: nothing can be told now. */
    public static final long UNTOLD = -1;

    private int fd;
    private int kind = Natives.QUEUE_UNKNOWN;
    private long last;

    /** {@return whether it can be watched. Then {@link #unwatch} is to follow} */
    public boolean watch(int watched) {
        fd = watched;
        kind = Natives.watchQueue(watched);
        last = isWatched() ? look() : UNTOLD;
        return isWatched();
    }

    public boolean isWatched() {
        return kind != Natives.QUEUE_UNKNOWN;
    }

    /** Whether connections are in it, instead of bytes. */
    public boolean isListening() {
        return kind == Natives.QUEUE_CONNECTIONS;
    }

    /** {@return 0 if it is as it was at the last look; 1 if the application, or an arrival, has changed it} */
    public long takeChange() {
        long before = last;
        last = look();
        return last == UNTOLD ? UNTOLD : last == before ? 0 : 1;
    }

    private long look() {
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
