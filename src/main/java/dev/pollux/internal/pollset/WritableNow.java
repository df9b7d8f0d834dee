// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.util.List;

/**
 * Asks which descriptors are writable now, all of them by one poll(2), or by no system call where their last write has
 * told it. Guarded by the lock of its owner. Allocates for the first question, and to grow.
 */
public final class WritableNow {
    private final EventBuffer asked = new EventBuffer();

    /** A mechanism may report the same descriptors. */
    private final EntryMerger merger = new EntryMerger();

    private boolean isAny;

    /** {@return the classes that the first question needs: it may come when no descriptor is left to load them with} */
    public static List<Class<?>> classes() {
        return List.of(WritableNow.class, EntryMerger.class);
    }

    /** Adds a descriptor to the question: false if there is no memory for it. */
    public boolean add(int fd, int generation) {
        return asked.append(fd, generation, 0);
    }

    /** Whether any of those that were added is writable or broken. */
    public boolean ask() {
        isAny = Natives.askWritable(asked.address, asked.fetched()) > 0;
        return isAny;
    }

    /** Of the one that was added as number {@code i}. */
    public boolean isWritable(int i) {
        return asked.events(i) != 0;
    }

    public void forget() {
        asked.forget();
        isAny = false;
    }

    boolean isAny() {
        return isAny;
    }

    /** Reports what is writable as further entries: how many there are then. */
    int moveTo(EventBuffer entries) throws IOException {
        int n = asked.fetched();
        for (int i = 0; i < n; i++) {
            if (isWritable(i) && !entries.append(asked.fd(i), asked.generation(i), asked.events(i))) {
                throw new IOException("No memory for the events of a selector");
            }
        }
        forget();
        return entries.merge(merger);
    }

    void close() {
        isAny = false;
        asked.free();
    }
}
