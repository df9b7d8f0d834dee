// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.registration;

import dev.pollux.internal.pollset.Cookie;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Registers what a mechanism watches, and gets rid of what it holds although it should not: registrations that have
 * outlived what they were for, because their removal had failed or because the open file lives on under another
 * descriptor (epoll(7), questions and answers, 6).
 *
 * <ol>
 * <li>A removal that fails is not reported: nothing that was asked for is lost by it. A change that fails to take
 *     interest away would go on reporting: that is the third step at once ({@link #onFailedRemoval}).
 * <li>If the registration that was left behind reports an event, {@link #onStaleEvent} removes it.
 * <li>If that fails too, or would hit another one, the kernel's object is replaced by a fresh one, and everything is
 *     registered with that: {@link #repair}, after the events were delivered.
 * <li>An error in the middle of that leaves some unregistered. {@link #finishRebuild} registers them before the next
 *     wait.
 * </ol>
 *
 * <p>Guarded by the lock of its owner. Allocates when something is stale.
 */
public abstract class Registrar {
    private static final int MAX_REMOVED = 1000;

    protected final PollSet pollSet;

    /** Descriptors and generations that a removal was tried on, to no effect if they turn up again; null before. */
    private Set<Long> removed;

    /** Whether something is armed in the kernel that can't be taken away one by one. */
    private boolean irremovable;

    /** Whether the kernel's object is a fresh one, or may be, that does not hold everything yet. */
    private boolean unfinished;

    protected Registrar(PollSet pollSet) {
        this.pollSet = pollSet;
    }

    /** Registers everything with an object of the kernel that holds nothing. Doing so twice must be harmless. */
    protected abstract void registerAll();

    /** Tries a removal, unless the number is {@code reused}: then it would hit what has the number now. */
    public final void onStaleEvent(int fd, int generation, boolean reused) {
        if (removed == null) {
            removed = new HashSet<>();
        }
        if (reused || removed.size() == MAX_REMOVED || !removed.add(Cookie.of(fd, generation))
                || pollSet.remove(fd) != 0) {
            irremovable = true;
        }
    }

    /** Something that is armed and not wanted could not be disarmed. */
    protected final void onFailedRemoval() {
        irremovable = true;
    }

    /** Whether {@link #repair} will replace the kernel's object. */
    public final boolean needsRebuild() {
        return irremovable;
    }

    /**
     * Replaces the kernel's object if it holds what can't be removed. Not while events are being delivered: they were
     * fetched with what is armed now.
     *
     * @throws IOException if the kernel has no other object for us; then it is tried again after the next wait
     */
    public final void repair() throws IOException {
        finishRebuild();
        if (irremovable) {
            unfinished = true; // before the old object is given up, whatever fails after that
            try {
                pollSet.reopen();
            } catch (IOException e) {
                unfinished = false; // the old one stays
                throw e;
            }
            irremovable = false;
            removed = null;
            finishRebuild();
        }
    }

    /** Registers what a rebuild that broke off has left out. */
    public final void finishRebuild() {
        if (unfinished) {
            registerAll();
            unfinished = false;
        }
    }
}
