// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.JdkMembers;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.pollset.Patience;
import dev.pollux.internal.pollset.PollFallback;
import dev.pollux.internal.pollset.PollFirst;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.VirtualWait;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/**
 * The selector, for every mechanism. One selection: tell the mechanism what has changed, deregister cancelled keys,
 * wait, deregister again, deliver what came. It goes on waiting after events that nobody asks for.
 *
 * <p>Thread-safety: as {@link Selector} has it. Fields are guarded by this object's monitor, which {@link SelectorImpl}
 * holds around each selection, unless they say otherwise. A selection allocates nothing.
 */
final class PolluxSelector extends SelectorImpl {
    /** {@link #deliver}: nothing came but what nobody asked for. */
    private static final int NOTHING = -1;

    private static final boolean REGISTER_RELIES_ON_US = JdkMembers.jdk() < 24;

    private final PollSet pollSet;
    private final PollFallback fallback;
    private final Registrations registrations;
    private final PollFirst pollFirst = new PollFirst();
    private final Patience spin;

    private final SelectedKeys selectedKeys;

    /** Any thread. */
    private final UpdateQueue updates = new UpdateQueue();

    /** Any thread. */
    private final WakeupGate gate = new WakeupGate();

    private final VirtualWait virtualWait = new VirtualWait();

    /** Raised by any thread after it has queued a cancelled key, lowered before the queue is processed. */
    private volatile boolean cancelled;

    /** Whether a wait of this selection was ended by a wakeup or an interrupt. */
    private boolean woken;

    PolluxSelector(SelectorProvider provider, PollSet pollSet, Patience spin) {
        super(provider);
        this.pollSet = pollSet;
        this.fallback = new PollFallback(pollSet);
        this.registrations = new Registrations(pollSet, fallback);
        this.spin = spin;
        this.selectedKeys = new SelectedKeys(this);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Declared here because the stack of a selecting thread is looked for this method of the selector's own class.
     */
    @Override
    protected int doSelect(Consumer<SelectionKey> action, long timeout) throws IOException {
        assert Thread.holdsLock(this);
        processUpdates();
        processCancelled();
        registrations.throwPending();
        woken = false;
        long nanos = timeout <= 0 ? timeout : TimeUnit.MILLISECONDS.toNanos(timeout);
        if (timeout == 0 || gate.isWoken() || pollFirst.isWorthwhile()) {
            int updated = deliver(poll(), action);
            if (updated != NOTHING || woken || timeout == 0) {
                return Math.max(updated, 0);
            }
            pollFirst.inVain();
        }
        return waitAndDeliver(action, nanos);
    }

    private int waitAndDeliver(Consumer<SelectionKey> action, long nanos) throws IOException {
        long deadline = nanos > 0 ? System.nanoTime() + nanos : 0;
        boolean virtual = VirtualThreads.isVirtual();
        long spinning = virtual ? 0 : spin.nanos();
        int updated = spinning == 0 ? NOTHING : spin(action, nanos, spinning);
        long left = spinning == 0 ? nanos : left(nanos, deadline);
        while (updated == NOTHING && !woken && left != 0) {
            updated = deliver(virtual ? waitInVirtualThread(left) : block(left), action);
            if (updated == NOTHING) {
                left = left(nanos, deadline);
            }
        }
        return Math.max(updated, 0);
    }

    /** What is left of a timeout: negative if there is none, 0 if it is over. */
    private static long left(long nanos, long deadline) {
        // Of a difference of two times only the sign of an overflow is right, and that is all it takes.
        return nanos > 0 ? Math.max(deadline - System.nanoTime(), 0) : nanos;
    }

    /** Polls for as long as {@link #spin} says, but not longer than the timeout: as {@link #deliver}. */
    private int spin(Consumer<SelectionKey> action, long nanos, long spinning) throws IOException {
        long length = nanos > 0 ? Math.min(nanos, spinning) : spinning;
        long start = System.nanoTime();
        do {
            int updated = deliver(poll(), action);
            if (updated != NOTHING || woken) {
                spin.hasPaid();
                return updated;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - start < length);
        spin.wasInVain();
        return NOTHING;
    }

    private void processUpdates() {
        if (pollSet.fetched() != 0) {
            dropUndelivered();
        }
        registrations.retryRefused();
        if (!updates.isEmpty()) {
            updates.drain(registrations);
        }
        registrations.rearm();
    }

    /** What an error, or an action that threw, left behind: what of it is still ready will be reported again. */
    private void dropUndelivered() {
        for (int i = 0; i < pollSet.fetched(); i++) {
            SelectionKeyImpl key =
                    pollSet.isWakeup(i) ? null : registrations.find(pollSet.fd(i), pollSet.gen(i));
            if (key != null) {
                registrations.dropped(key, pollSet.events(i), pollSet.error(i));
            }
        }
        pollSet.forget();
    }

    private boolean processCancelled() throws IOException {
        if (!cancelled) {
            return false;
        }
        cancelled = false;
        boolean done = false;
        try {
            processDeregisterQueue();
            done = true;
        } finally {
            if (!done) {
                cancelled = true;
            }
        }
        return true;
    }

    /** Looks what is ready, and takes a wakeup that has come. */
    private int poll() throws IOException {
        int n;
        do {
            n = fallback.await(0);
        } while (n == PollSet.INTERRUPTED);
        woken = gate.isWoken() && gate.leave();
        return n;
    }

    /**
     * Blocks this thread. A signal ends the wait early with nothing, as does the late system call of a waker whose
     * selection ended without it; the caller knows the deadline.
     */
    private int block(long nanos) throws IOException {
        int n;
        virtualWait.retract(); // an error may have kept a virtual thread from doing so
        try {
            begin(true);
            n = fallback.await(gate.enter() ? nanos : 0);
        } finally {
            woken = gate.leave();
            end(true);
        }
        return Math.max(n, 0);
    }

    /**
     * Parks this virtual thread, or blocks its carrier while {@link VirtualWait} says that this pays. Where the
     * mechanism has no descriptor that could be waited for, or the JDK no way to, the carrier is always blocked.
     */
    private int waitInVirtualThread(long nanos) throws IOException {
        int handle = fallback.handle();
        if (handle < 0 || !VirtualThreads.canPark()) {
            long compensation = VirtualThreads.beginBlocking();
            try {
                return block(nanos);
            } finally {
                VirtualThreads.endBlocking(compensation);
            }
        }
        long blocking = virtualWait.beginBlocking();
        return blocking == 0 ? park(handle, nanos) : blockCarrier(nanos < 0 ? blocking : Math.min(nanos, blocking));
    }

    private int blockCarrier(long nanos) throws IOException {
        int n = 0;
        try {
            n = block(nanos);
        } finally {
            virtualWait.endBlocking(n > 0 && !woken);
        }
        return n;
    }

    private int park(int handle, long nanos) throws IOException {
        int n;
        try {
            virtualWait.announce(); // before the gate says "blocked", so that a waker finds it
            boolean mayPark = gate.enter() && !Thread.currentThread().isInterrupted();
            n = fallback.await(0);
            if (n == 0 && mayPark) {
                virtualWait.park(handle, nanos);
                n = fallback.await(0);
            }
        } finally {
            woken = gate.leave() | Thread.currentThread().isInterrupted();
            virtualWait.retract();
        }
        return Math.max(n, 0);
    }

    /**
     * Deregisters cancelled keys and hands the events of the first {@code n} entries to the others.
     *
     * @return how many ready sets were updated, or {@link #NOTHING}
     */
    private int deliver(int n, Consumer<SelectionKey> action) throws IOException {
        boolean deregistered = processCancelled();
        selectedKeys.lookAgain();
        int updated = deliver(pollSet, n, action, deregistered, NOTHING);
        PollSet refused = fallback.entries();
        if (refused != null) {
            updated = deliver(refused, refused.fetched(), action, true, updated);
            refused.forget();
        }
        pollSet.forget();
        registrations.repair(updated != NOTHING);
        return updated;
    }

    /**
     * Hands the first {@code n} entries of a set to their keys.
     *
     * @param deregistered whether an event without a key may be that of a key which was deregistered just now; else its
     *     registration was left behind
     * @param before how many ready sets were updated before, or {@link #NOTHING}
     * @return how many are now
     */
    private int deliver(PollSet set, int n, Consumer<SelectionKey> action, boolean deregistered, int before) {
        int updated = before;
        for (int i = 0; i < n; i++) {
            if (set.isWakeup(i)) {
                continue;
            }
            int fd = set.fd(i);
            SelectionKeyImpl key = registrations.find(fd, set.gen(i));
            if (key == null) {
                if (!deregistered) {
                    registrations.stale(fd, set.gen(i));
                }
                continue;
            }
            int events = registrations.wanted(key, set.events(i), set.error(i));
            if (events != 0) {
                updated = Math.max(updated, 0) + selectedKeys.update(key, events, action);
            }
        }
        return updated;
    }

    @Override
    protected void implDereg(SelectionKeyImpl key) {
        assert Thread.holdsLock(this);
        registrations.remove(key);
    }

    @Override
    public void cancel(SelectionKeyImpl key) {
        try {
            super.cancel(key);
        } finally {
            cancelled = true; // also if it broke off after it had queued the key
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Until JDK-8336339 (JDK 24) {@code register} relies on the exception, while {@code interestOps} is not
     * specified to throw it. What tells them apart is that a key which is being registered is not yet among the keys of
     * its channel.
     */
    @Override
    protected void setEventOps(SelectionKeyImpl key) {
        if (REGISTER_RELIES_ON_US && !isOpen() && key.channel().keyFor(this) != key) {
            throw new ClosedSelectorException();
        }
        updates.add(key);
    }

    @Override
    public Selector wakeup() {
        int ticket = gate.wake();
        if (ticket != 0) {
            if (!virtualWait.unpark()) {
                pollSet.wakeup();
            }
            gate.signalled(ticket);
        }
        return this;
    }

    /**
     * Tells the mechanism, and what was done without anybody asking; any thread, so the numbers may be a moment old.
     */
    @Override
    public String toString() {
        return super.toString() + '[' + pollSet.name() + ", " + keyCount() + ", " + fallback.size()
                + " refused by the kernel, " + registrations.discarded() + " out-of-band bytes discarded]";
    }

    private String keyCount() {
        try {
            return keys().size() + " keys";
        } catch (ClosedSelectorException e) {
            return "closed";
        }
    }

    @Override
    protected void implClose() {
        assert Thread.holdsLock(this);
        fallback.close();
        pollSet.close();
    }
}
