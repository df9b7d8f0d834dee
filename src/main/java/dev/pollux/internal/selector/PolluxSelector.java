// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.loop.AdaptiveBackoff;
import dev.pollux.internal.loop.WaitStrategy;
import dev.pollux.internal.loop.WakeupGate;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.registration.PollFallback;
import dev.pollux.internal.verdict.SelectorWatch;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/**
 * The selector, for every mechanism. The Javadoc of the package leads through a selection. Thread-safety: as {@link
 * Selector} has it. Fields are guarded by this object's monitor, which {@link SelectorImpl} holds around each
 * selection, unless they say otherwise. A selection allocates nothing.
 */
final class PolluxSelector extends SelectorImpl implements Loop {
    private static final boolean REGISTER_RELIES_ON_US = Runtime.version().feature() < 24;

    private final PollSet pollSet;
    private final PollFallback fallback;
    private final Refusals refusals;
    private final WriteInterest writers;
    private final KeyRegistrar registrar;
    private final EventDelivery delivery;
    private final WaitStrategy waiting;
    private final SelectorWatch watch;

    /** Any thread. */
    private final UpdateQueue updates = new UpdateQueue();
    private final WakeupGate gate = new WakeupGate();

    /** Raised by any thread after it has queued a cancelled key, lowered before the queue is processed. */
    private volatile boolean cancelled;

    PolluxSelector(SelectorProvider provider, PollSet pollSet, AdaptiveBackoff busyPoll) {
        super(provider);
        this.pollSet = pollSet;
        this.fallback = new PollFallback(pollSet);
        KeyTable keyTable = new KeyTable();
        this.refusals = new Refusals(pollSet);
        this.writers = new WriteInterest(pollSet);
        this.registrar = new KeyRegistrar(pollSet, fallback, keyTable, refusals, writers);
        SelectedKeys selectedKeys = new SelectedKeys(this);
        this.delivery = new EventDelivery(pollSet, fallback, keyTable, selectedKeys, registrar);
        this.waiting = new WaitStrategy(pollSet, fallback, gate, busyPoll);
        this.watch = new SelectorWatch(this, pollSet, delivery);
        Loops.add(this);
    }

    /** Declared here because tools look for this method of the selector's own class on a thread's stack. */
    @Override
    protected int doSelect(Consumer<SelectionKey> action, long timeout) throws IOException {
        assert Thread.holdsLock(this);
        processUpdates();
        processCancelled();
        boolean found = writers.ask(registrar);
        pollSet.streams().endTurn();
        refusals.throwPending();
        waiting.begin(timeout <= 0 ? timeout : TimeUnit.MILLISECONDS.toNanos(timeout), found);
        int updated;
        do {
            int n = waiting.await();
            boolean deregistered = processCancelled();
            if (timeout != 0) {
                watch.onAwait(n, action == null);
            }
            updated = delivery.deliver(n, action, deregistered);
            repair(updated != EventDelivery.NOTHING);
        } while (updated == EventDelivery.NOTHING && waiting.goesOn());
        int ready = Math.max(updated, 0);
        pollSet.statistics().onSelection(ready);
        return ready;
    }

    private void processUpdates() {
        if (pollSet.entries().fetched() != 0) {
            delivery.dropUndelivered();
        }
        registrar.finishRebuild();
        registrar.retryRefused();
        writers.armLeft(registrar);
        if (!updates.isEmpty()) {
            updates.drain(registrar);
        }
        registrar.rearm();
    }

    /** Says what went wrong at a later selection, if this one has delivered something. */
    private void repair(boolean delivered) throws IOException {
        try {
            registrar.repair();
        } catch (IOException e) {
            if (!delivered) {
                throw e;
            }
        }
        if (!delivered) {
            refusals.throwPending();
        }
    }

    private boolean processCancelled() throws IOException {
        if (!cancelled) {
            return false;
        }
        cancelled = false;
        try {
            processDeregisterQueue();
        } catch (Throwable t) {
            cancelled = true;
            throw t;
        }
        return true;
    }

    @Override
    protected void implDereg(SelectionKeyImpl key) {
        assert Thread.holdsLock(this);
        watch.onRemoved(key);
        registrar.remove(key);
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
     * Until JDK-8336339 (JDK 24) {@code register} relies on the exception, while {@code interestOps} is not specified
     * to throw it. What tells them apart: a key that is being registered is not yet among the keys of its channel. Nor
     * is one that a close has taken away meanwhile; but a thread that registers holds the channel's blocking lock.
     */
    @Override
    protected void setEventOps(SelectionKeyImpl key) {
        if (REGISTER_RELIES_ON_US && !isOpen() && isBeingRegistered(key)) {
            throw new ClosedSelectorException();
        }
        updates.add(key);
    }

    private boolean isBeingRegistered(SelectionKeyImpl key) {
        return Thread.holdsLock(key.channel().blockingLock()) && key.channel().keyFor(this) != key;
    }

    @Override
    public Selector wakeup() {
        gate.wake(waiting);
        watch.onWakeup();
        return this;
    }

    @Override
    public String kind() {
        return "selector";
    }

    @Override
    public String mechanism() {
        return pollSet.name();
    }

    @Override
    public LoopStatistics statistics() {
        return pollSet.statistics();
    }

    @Override
    public int size() {
        return keysIfOpen().size();
    }

    private Set<SelectionKey> keysIfOpen() {
        try {
            return keys();
        } catch (ClosedSelectorException e) {
            return Set.of();
        }
    }

    @Override
    public boolean isInterested() {
        return keysIfOpen().stream().anyMatch(key -> key.isValid() && ((SelectionKeyImpl) key).nioInterestOps() != 0);
    }

    @Override
    public int refused() {
        return fallback.size();
    }

    @Override
    public boolean isReadable() {
        return pollSet.isReadable();
    }

    @Override
    public boolean isListening() {
        return keysIfOpen().stream().anyMatch(key -> key.channel() instanceof ServerSocketChannel);
    }

    @Override
    public boolean isWoken() {
        return gate.isWoken();
    }

    @Override
    public String gate() {
        return isOpen() ? gate.describe(pollSet) : "";
    }

    /** Any thread, so the numbers may be a moment old. */
    @Override
    public String toString() {
        return super.toString() + '[' + mechanism() + ", " + (isOpen() ? size() + " keys" : "closed") + ", "
                + refused() + " refused by the kernel, " + statistics() + ']';
    }

    @Override
    protected void implClose() {
        assert Thread.holdsLock(this);
        watch.onClose();
        Loops.remove(this);
        fallback.close();
        pollSet.close();
    }
}
