// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * A connection that outlives a call of its handler. What is sent is copied under a lock, by any thread, to its {@link
 * Outbound}; the loop's thread orders that to be sent at the end of a batch, or is woken for that. While much is on its
 * way, more of it waits, and is sent in few large pieces. Whether it receives and sends is its {@link ConnectionState}.
 *
 * <p>The public methods are those of the public interface, which explains them, and for any thread; the others are for
 * the loop's thread.
 */
public abstract class HeldConnection {
    /** An update makes no more. */
    static final int MAX_ORDERS = PlainOutbound.MAX_FLIGHTS + 8;

    static final int NO_ORDER = 0;

    /** Later than that is never. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    /** What part of the memory that is left one connection may have. */
    private static final int SHARE = 16;

    final HandlerCall call;
    private final ServerLoop loop;
    private final BufferPool memory;
    private final int maxPending;

    /** The connection's number; 0 before the loop has it. For the loop's thread, as those that follow. */
    private long number;

    /** Orders of which it is not known yet that they were sent. */
    private final Flights flights = new Flights();

    /** The arena holds back what arrives, until it is told to resume. */
    private boolean isStopped;

    /** What waits for its time; null before there is something. */
    private Set<LoopTask> tasks;

    /** What ends the connection, when all that was accepted was ordered to be sent. */
    private int lastOrder = Orders.CLOSE;

    /** What is accepted, and not ordered yet; guarded by this, as all that follows is. */
    private volatile Outbound outbound;

    /** A call of the handler has sent something: what others send meanwhile comes behind all of that. */
    private boolean isInCall;

    /** What they have sent. Null before the first time. */
    private PlainOutbound behindCall;

    private long accepted;

    /** Bytes of the flights. */
    private long inFlight;

    /** Something was refused, so the handler is to hear when it would be accepted. */
    private boolean hasRefused;

    /** The loop will call {@link #update}. */
    private boolean isDue;

    private final ConnectionState state = new ConnectionState();

    /** What it is aborted for, to be told by the next update; null if its holder wants that, or it was told. */
    private Throwable failure;

    /** It was refused something though nothing of it is pending, since there is no memory: its loop knows. */
    private boolean awaitsMemory;

    /** The call of a handler, as its loop counts them, in which its output was ended. For the loop's thread. */
    private long endedIn;

    private volatile SocketAddress remote;
    private volatile SocketAddress local;
    private volatile Object attachment;

    /** One whose handler this calls. */
    protected HeldConnection(HandlerCall call) {
        this.call = call;
        loop = call.loop;
        memory = loop.buffers();
        maxPending = loop.maxPending();
        outbound = new PlainOutbound(memory);
    }

    public final boolean send(ByteBuffer bytes) {
        return send(bytes, null);
    }

    public final boolean send(ByteBuffer head, ByteBuffer body) {
        boolean isAccepted = false;
        synchronized (this) {
            if (!isAccepting()) {
                return false;
            }
            if (pending() < allowed()) {
                isAccepted = appendBoth(head, body);
            } else {
                hasRefused = true;
                loop.onRefusedSend();
                if (pending() > 0 || awaitsMemory) {
                    return false; // its loop hears when that was sent, or knows already
                }
                awaitsMemory = true;
            }
        }
        requestUpdate();
        return isAccepted;
    }

    /** False if there is no memory: then it fails, not the caller, who may be the handler of another connection. */
    private boolean appendBoth(ByteBuffer head, ByteBuffer body) {
        try {
            append(head);
            if (body != null) {
                append(body);
            }
            return true;
        } catch (OutOfMemoryError e) {
            fail(e);
            return false;
        }
    }

    /** As much may be pending: the less, the more waits in all connections. So those with little go on for long. */
    private long allowed() {
        long left = memory.limit().left();
        return left <= 0 ? 0 : Math.max(1, Math.min(maxPending, left / SHARE));
    }

    /** A call of the handler sends something. */
    final synchronized void beginCall() {
        isInCall = true;
    }

    /** It has returned. */
    final void endCall() {
        synchronized (this) {
            isInCall = false;
            if (behindCall == null || behindCall.mayBePassed()) {
                return;
            }
            try {
                for (ByteBuffer next = behindCall.next(); next != null; next = behindCall.next()) {
                    outbound.append(next, true);
                }
            } catch (SSLException e) {
                state.close();
            } catch (Throwable e) { // what was taken out is lost
                fail(e);
            }
        }
        requestUpdate();
    }

    /** It breaks the stream of bytes, so it is reset by the next update. That concerns no other connection. */
    private void fail(Throwable cause) {
        failure = cause;
        state.cut();
    }

    /** What cannot be taken whole breaks the stream of bytes. */
    private void append(ByteBuffer bytes) {
        int from = bytes.position(); // read once, as the limit is: another thread may have the buffer
        int length = bytes.limit() - from;
        accepted += length;
        boolean isBehind = isInCall && !loop.isCurrent();
        if (isBehind && behindCall == null) {
            behindCall = new PlainOutbound(memory);
        }
        try {
            (isBehind ? behindCall : outbound).append(bytes, from, length, loop.isCurrent());
        } catch (SSLException e) {
            state.close(); // the other side has closed it, or the update tells of a failure
        } catch (Throwable e) {
            state.cut();
            loop.postUpdate(this);
            throw e;
        }
    }

    /**
     * Has the loop do what was asked for, at the end of its batch or soon: once, however many threads ask, since a
     * batch has room for so many orders only.
     */
    final void requestUpdate() {
        synchronized (this) {
            if (isDue) {
                return;
            }
            isDue = true;
        }
        try {
            loop.postUpdate(this);
        } catch (Throwable e) { // no memory
            synchronized (this) {
                isDue = false;
            }
            throw e;
        }
    }

    public final synchronized long accepted() {
        return accepted;
    }

    public final synchronized long pending() {
        return inFlight + outbound.pending() + (behindCall == null ? 0 : behindCall.pending());
    }

    /** {@return the engine of TLS, or null} */
    public final SSLEngine sslEngine() {
        TlsOutbound tls = outbound.tls();
        return tls == null ? null : tls.stream.engine();
    }

    public final void pause() {
        synchronized (this) {
            state.pause();
        }
        requestUpdate();
    }

    public final void resume() {
        synchronized (this) {
            state.resume();
        }
        requestUpdate();
    }

    public final void shutdownOutput() {
        noteEnd();
        synchronized (this) {
            state.shutDown();
        }
        requestUpdate();
    }

    public final void close() {
        noteEnd();
        synchronized (this) {
            state.close();
        }
        requestUpdate();
    }

    private void noteEnd() {
        if (loop.isCurrent()) {
            endedIn = loop.replies().calls();
        }
    }

    /** Whether this call, as the loop counts them, has ended its output. */
    final boolean hasEndedIn(long handlerCall) {
        return endedIn == handlerCall;
    }

    public final void abort() {
        synchronized (this) {
            state.abort();
        }
        requestUpdate();
    }

    public final synchronized boolean isOpen() {
        return state.isOpen();
    }

    public final Future<?> schedule(Duration delay, Runnable task) {
        long nanos = delay.compareTo(LONGEST) < 0 ? delay.toNanos() : LONGEST.toNanos();
        LoopTask later = new LoopTask(this, System.nanoTime() + Math.max(0, nanos), task);
        loop.schedule(later);
        return later;
    }

    public final void execute(Runnable task) {
        loop.execute(this, new LoopTask(this, 0, task));
    }

    /** A task of it waits for its time from now on; false if it has ended. */
    final boolean addTask(LoopTask task) {
        synchronized (this) {
            if (state.hasEnded()) {
                return false;
            }
        }
        if (tasks == null) {
            tasks = new HashSet<>();
        }
        return tasks.add(task);
    }

    /** It was cancelled, by any thread. */
    final void onCancel(LoopTask task) {
        loop.unschedule(task);
    }

    /** It waits no more. */
    final void removeTask(LoopTask task) {
        if (tasks != null) {
            tasks.remove(task);
        }
    }

    public final SocketAddress remoteAddress() {
        return remote;
    }

    /** The other side's address, as error handlers get it. */
    final SocketAddress remoteHost() {
        return remote instanceof InetSocketAddress host ? host : null;
    }

    public final SocketAddress localAddress() {
        return local;
    }

    public final Object attachment() {
        return attachment;
    }

    public final synchronized Object attach(Object next) {
        Object before = attachment;
        attachment = next;
        return before;
    }

    final void setAddresses(SocketAddress there, SocketAddress here) {
        remote = there;
        local = here;
    }

    /** What is sent and received is encrypted. Before anything else. */
    final void secure(TlsStream stream) {
        outbound = new TlsOutbound(stream, memory);
    }

    /** What its bytes are encrypted by; null without TLS. */
    final TlsOutbound tls() {
        return outbound.tls();
    }

    /** The loop has it, and its number. */
    final void begin(long connection) {
        number = connection;
    }

    final long number() {
        return number;
    }

    /** Whether what its handler sends may be ordered at once, without changing the order of what was sent. */
    final synchronized boolean mayBePassed() {
        return outbound.mayBePassed();
    }

    /** Whether what is sent has any chance. */
    final synchronized boolean isAccepting() {
        return state.isAccepting();
    }

    /** Puts a reply of its handler behind what was accepted, whatever is pending: the handler was called because it may. */
    final void sendReply(ByteBuffer bytes) {
        synchronized (this) {
            if (!isAccepting()) {
                return;
            }
            append(bytes);
        }
        requestUpdate();
    }

    /** A reply of its handler is to be ordered at once. */
    final void beforeOrder() {
        flights.makeRoom();
    }

    /** That was done. */
    final void onOrdered(int length) {
        flights.add(length, null);
        synchronized (this) {
            accepted += length;
            inFlight += length;
        }
    }

    final synchronized boolean isPaused() {
        return state.isPaused() && state.isOpen();
    }

    /** Whether its handler is to get no more data for now. A handshake goes on: what is pending may wait for that. */
    final synchronized boolean isHeldBack() {
        return outbound.isFull() || outbound.isEstablished()
                && (state.isPaused() || !state.isOpen() || pending() >= Math.max(1, allowed()));
    }

    /** Whether nothing is to be received for now. What waits for a handshake needs what the peer says in that. */
    final synchronized boolean isToStop() {
        return isHeldBack() && (outbound.isFull() || !outbound.awaitsHandshake() || outbound.hasUnread());
    }

    /** Whether it has accepted something that it can send only when a handshake has gone on. */
    final boolean awaitsHandshake() {
        return outbound.awaitsHandshake();
    }

    /** The arena was ordered to hold back what arrives, or to resume. */
    final void setStopped(boolean stopped) {
        isStopped = stopped;
    }

    /** That many of the orders were sent: whether the handler is to hear that it is writable. */
    final boolean onSent(long orders) {
        long bytes = 0;
        for (long i = 0; i < orders; i++) {
            bytes += flights.firstLength();
            forgetFirst();
        }
        synchronized (this) {
            inFlight -= bytes;
            return isWritable();
        }
    }

    /** Whether its handler is to hear that it is writable: that is so once after something was refused. */
    final synchronized boolean isWritable() {
        boolean isWritable = hasRefused && pending() <= allowed() / 2 && isAccepting();
        hasRefused &= !isWritable;
        awaitsMemory = false;
        return isWritable;
    }

    /** Whether it was refused something for lack of memory, and its handler has not heard since that it is writable. */
    final synchronized boolean awaitsMemory() {
        return awaitsMemory;
    }

    final synchronized boolean isAtEnd() {
        return state.isAtEnd();
    }

    /** The other side sends no more. Whether nothing is to be sent either, so that nothing can happen any more. */
    final synchronized boolean onEnd() {
        return state.endInput();
    }

    /** Accepts nothing more. Whether nothing is to be ordered before; else an update gives this order, behind that. */
    final boolean finish(int order) {
        lastOrder = order;
        synchronized (this) {
            state.close();
            if (outbound.mayBePassed()) {
                return true;
            }
        }
        requestUpdate();
        return false;
    }

    /** Whether all that was accepted was ordered to be sent. */
    private boolean isFlushed() {
        return outbound.isFlushed(state.isDropped());
    }

    /** Tells the other side that no more comes; if that can't be said, by a reset. False: its socket's end is to. */
    private boolean sayEnd() {
        try {
            boolean isSaid = outbound.end();
            if (isSaid) {
                orderOutbound();
            }
            return isSaid;
        } catch (SSLException e) {
            lastOrder = Orders.ABORT;
            return true;
        }
    }

    /** Whether TLS is broken, and the error handler was not told. */
    private boolean hasUntoldFailure() {
        return outbound.failure() != null && !state.isDropped();
    }

    /** Nothing can be sent any more, but the alert by which TLS tells the other side why. */
    final synchronized void drop() {
        state.drop();
        outbound.drop();
        if (behindCall != null) {
            behindCall.drop();
        }
    }

    /** An update has failed, say: no later one does anything but end the connection. */
    final synchronized void breakOff() {
        state.cut();
    }

    private synchronized Throwable takeFailure() {
        Throwable taken = state.hasEnded() || number == 0 ? null : failure;
        failure = taken == null ? failure : null;
        return taken;
    }

    /** Orders what was asked for since the last time. The connection is the loop's. */
    final void update() {
        Throwable failed = takeFailure();
        if (failed != null) {
            loop.tell(Trouble.CONNECTION, failed, number);
        }
        boolean fails;
        synchronized (this) {
            isDue = false;
            fails = !state.hasEnded() && number != 0 && !orderAll(failed != null ? Ending.FAILED : Ending.CLOSED);
        }
        if (fails) { // without the lock: the error handler may wait for who sends
            loop.fail(this, outbound.failure());
        }
    }

    /** For this reason if it aborts. False if TLS has failed, and the error handler is to be told. */
    private boolean orderAll(Ending ending) {
        if (state.isAborted()) {
            int dropped = (int) Math.min(outbound.pending(), Integer.MAX_VALUE);
            loop.leave(number, ending, Orders.ABORT, state.isCut() ? Math.max(1, dropped) : dropped);
            return true;
        }
        if (awaitsMemory) {
            loop.awaitMemory(this);
        }
        if (outbound.tls() != null && outbound.isEstablished()) {
            loop.openIfNew(this); // a thread that sent something may have finished the handshake
        }
        orderOutbound();
        if (state.isShuttingDown() && isFlushed()) {
            shutDown();
        }
        if (!state.isOpen() && lastOrder == Orders.CLOSE) {
            sayEnd();
        }
        if (hasUntoldFailure()) {
            return false;
        }
        if (!state.isOpen()) {
            leave();
        } else if (isToStop() != isStopped && loop.isRequestAwaited(number)) {
            setPausedByLoop(!isStopped);
        }
        return true;
    }

    private void leave() {
        Ending ending = state.isFinished() ? Ending.PEER : Ending.CLOSED;
        if (lastOrder == Orders.ABORT) {
            loop.leave(number, ending, Orders.ABORT, 1); // as if a byte were cut: close_notify is
            return;
        }
        loop.leave(number, ending, isFlushed() ? lastOrder : NO_ORDER, 0);
        if (isStopped && awaitsHandshake() && !outbound.isFull()) {
            setPausedByLoop(false);
        }
    }

    private void setPausedByLoop(boolean stops) {
        isStopped = stops;
        loop.setPaused(number, stops);
    }

    /** An alert goes out at once, however much is on its way. */
    private void orderOutbound() {
        try {
            outbound.flush();
        } catch (SSLException e) {
            state.close();
        }
        while (flights.count() < outbound.maxFlights() || state.isDropped()) {
            flights.makeRoom(); // what is taken out must get into the flights
            ByteBuffer next = outbound.next();
            if (next == null) {
                return;
            }
            order(next);
        }
    }

    private void shutDown() {
        state.onShut();
        if (!sayEnd()) {
            loop.arena.orders().add(number, Orders.SHUTDOWN);
        }
    }

    private void order(ByteBuffer full) {
        int length = full.position();
        flights.add(length, full); // first: who looks for buffers to give back finds each in one place
        inFlight += length;
        loop.arena.orders().add(number, Orders.SEND | Orders.RESIDENT | Orders.NOTIFY, DirectMemory.address(full),
                length);
    }

    /** The connection has ended, or is another's: nothing is sent any more. TLS goes on if another has it. */
    final void end(boolean isHandedOver) {
        synchronized (this) {
            state.end();
            drop();
            inFlight = 0;
        }
        if (tasks != null) {
            List.copyOf(tasks).forEach(task -> task.cancel(false));
        }
        outbound.release(isHandedOver, loop.slowPathBuffers());
        while (flights.count() > 0) {
            forgetFirst();
        }
    }

    /** The first flight needs its memory no more. */
    private void forgetFirst() {
        ByteBuffer used = flights.take();
        if (used != null) {
            memory.giveBack(used);
        }
    }
}
