// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;

/**
 * A descriptor that polls readable when an await may find something, and that stays the same. Where the kernel's
 * object can be replaced, its own descriptor changes by that. So it is not given away: a second object watches it, and
 * has a descriptor that stays. Guarded by the leadership's monitor. Allocates when it is asked for the first time.
 */
final class PollableDescriptor {
    private static final int NONE = -1;

    private final PollSet pollSet;

    /** Null until a descriptor is asked for. */
    private PollSet outer;

    private int watched = NONE;

    PollableDescriptor(PollSet pollSet) {
        this.pollSet = pollSet;
    }

    int number() throws IOException {
        if (pollSet.handle() < 0 || !pollSet.isLive()) {
            return pollSet.handle();
        }
        if (outer == null) {
            open();
        }
        update();
        return outer.handle();
    }

    /** If it can't watch, there is none: else every await would try again, and throw. */
    private void open() throws IOException {
        PollSet opened = PollSet.open(pollSet.name());
        try {
            watch(opened);
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
        outer = opened;
    }

    /** The kernel's object is about to be replaced: the next one may have the number of one before it. */
    void expectAnother() {
        watched = NONE;
    }

    void update() throws IOException {
        if (outer != null && watched != pollSet.handle()) {
            watch(outer);
        }
    }

    private void watch(PollSet watching) throws IOException {
        int handle = pollSet.handle();
        int code = watching.add(handle, 0, PollSet.IN);
        if (code != 0) {
            throw watching.refusal("the descriptor of a Poller", code);
        }
        watched = handle;
    }

    void close() {
        if (outer != null) {
            outer.close();
        }
    }
}
