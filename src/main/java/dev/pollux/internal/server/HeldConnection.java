// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * A connection that outlives a call of its handler. What is sent is copied to a queue under a lock, by any thread; the
 * loop's thread orders the queue to be sent at the end of a batch, or is woken for that. While much is on its way, the
 * queue grows, and is sent in few large pieces. Whether it receives and sends is its {@link ConnectionState}.
 *
 * <p>The public methods are those of the public interface, which explains them, and for any thread; the others are for
 * the loop's thread.
 */
public abstract class HeldConnection {
    /** Orders of which it is not known yet that they were sent. Further bytes wait in the queue, and join there. */
    private static final int MAX_FLIGHTS = 16, MAX_TLS_FLIGHTS = 2;

    /** An update makes no more. */
    static final int MAX_ORDERS = MAX_FLIGHTS + 8;

    static final int NO_ORDER = 0;

    private static final int MAX_BUFFER = 1 << 20;

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

    private final Flights flights = new Flights();

    /** Null without TLS. It has what is to be sent instead of the queue. */
    private volatile TlsStream tls;

    /** The arena holds back what arrives, until it is told to resume. */
    private boolean isStopped;

    /** Decrypted bytes that the handler has seen, and that come again with more behind them. */
    private int awaiting;

    /** What waits for its time; null before there is something. */
    private Set<LoopTask> tasks;

    /** What ends the connection, when all that was accepted was ordered to be sent. */
    private int lastOrder = Orders.CLOSE;

    /** Accepted, and not ordered yet; guarded by this, as all that follows is. Written ones, and the last not full. */
    private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>(1);

    /** A call of the handler has sent something: what others send meanwhile comes behind all of that. */
    private boolean isInCall;

    /** What they have sent: written ones. Null before the first time. */
    private ArrayDeque<ByteBuffer> behindCall;

    private long accepted;

    /** Bytes of the queues and of the flights. What is in the {@link TlsStream} is counted there. */
    private long pending;

    /** Something was refused, so the handler is to hear when it would be accepted. */
    private boolean hasRefused;

    /** The loop will call {@link #update}. */
    private boolean isDue;

    private final ConnectionState state = new ConnectionState();

    /** The socket has received its end. For the loop's thread. */
    private boolean hasReceivedAll;

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
            if (behindCall == null || behindCall.isEmpty()) {
                return;
            }
            try {
                for (ByteBuffer next = behindCall.poll(); next != null; next = behindCall.poll()) {
                    follow(next);
                }
            } catch (Throwable e) { // what was taken out is lost
                fail(e);
            }
        }
        requestUpdate();
    }

    /** Puts written bytes behind those of the call. */
    private void follow(ByteBuffer written) {
        if (tls == null) {
            queue.addLast(written);
        } else {
            encrypt(written);
        }
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
            behindCall = new ArrayDeque<>(1);
        }
        try {
            if (tls == null || isBehind) {
                enqueue(isBehind ? behindCall : queue, bytes, from, length);
            } else {
                tls.send(bytes.duplicate().limit(from + length).position(from), loop.isCurrent());
            }
        } catch (SSLException e) {
            state.close(); // the other side has closed it, or the update tells of a failure
        } catch (Throwable e) {
            state.cut();
            loop.postUpdate(this);
            throw e;
        }
    }

    /** Sends by TLS what was written to a buffer. */
    private void encrypt(ByteBuffer written) {
        pending -= written.position();
        try {
            tls.send(written.flip(), loop.isCurrent());
        } catch (SSLException e) {
            state.close();
        } finally {
            memory.giveBack(written);
        }
    }

    private void enqueue(ArrayDeque<ByteBuffer> queue, ByteBuffer bytes, int from, int length) {
        pending += length;
        for (int done = 0; done < length;) {
            ByteBuffer last = last(queue, length - done);
            int part = Math.min(last.remaining(), length - done);
            last.put(last.position(), bytes, from + done, part).position(last.position() + part);
            done += part;
        }
    }

    /** One that has room. Each is larger than the one before, so that who sends little takes little. */
    private ByteBuffer last(ArrayDeque<ByteBuffer> queue, int length) {
        ByteBuffer last = queue.peekLast();
        if (last == null || !last.hasRemaining()) {
            int before = last == null ? 0 : last.capacity();
            last = memory.take(Math.min(MAX_BUFFER, Math.max(length, 2 * before)));
            queue.addLast(last);
        }
        return last;
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
        return tls == null ? pending : pending + tls.outgoing() + tls.waiting();
    }

    /** {@return the engine of TLS, or null} */
    public final SSLEngine sslEngine() {
        return tls == null ? null : tls.engine();
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
        stream.use(memory);
        tls = stream;
    }

    final TlsStream tls() {
        return tls;
    }

    /** The loop has it, and its number. */
    final void begin(long connection) {
        number = connection;
    }

    final long number() {
        return number;
    }

    /** Whether what its handler sends must go through the queue, to keep its order. */
    final synchronized boolean isQueueing() {
        return tls != null || !queue.isEmpty();
    }

    /** Whether what is sent has any chance. */
    final synchronized boolean isAccepting() {
        return state.isAccepting();
    }

    /** Puts a reply of its handler behind the queue, whatever is pending: the handler was called because it may. */
    final void sendReply(ByteBuffer bytes) {
        synchronized (this) {
            if (!isAccepting()) {
                return;
            }
            append(bytes);
        }
        requestUpdate();
    }

    /** A reply of its handler is to be ordered, past the empty queue. */
    final void beforeOrder() {
        flights.makeRoom();
    }

    /** That was done. */
    final void onOrdered(int length) {
        flights.add(length, null);
        synchronized (this) {
            accepted += length;
            pending += length;
        }
    }

    final synchronized boolean isPaused() {
        return state.isPaused() && state.isOpen();
    }

    /** Whether its handler is to get no more data for now. A handshake goes on: what is pending may wait for that. */
    final synchronized boolean isHeldBack() {
        boolean isFull = tls != null && tls.isFull();
        boolean isEstablished = tls == null || tls.isEstablished();
        return isFull || isEstablished
                && (state.isPaused() || !state.isOpen() || pending() >= Math.max(1, allowed()));
    }

    /** Whether nothing is to be received for now. What waits for a handshake needs what the peer says in that. */
    final synchronized boolean isToStop() {
        return isHeldBack() && (tls == null || tls.isFull() || tls.waiting() == 0 || tls.received().hasRemaining());
    }

    /** Whether it has accepted something that it can send only when a handshake has gone on. */
    final boolean awaitsHandshake() {
        return tls != null && tls.waiting() > 0;
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
            pending -= bytes;
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

    final void setAwaiting(int bytes) {
        awaiting = bytes;
    }

    /** How many of the decrypted bytes its handler has seen without taking them. */
    final int awaiting() {
        return awaiting;
    }

    /** The socket has received its end. What TLS has of before is handled first. */
    final void setReceivedAll() {
        hasReceivedAll = true;
    }

    final boolean hasReceivedAll() {
        return hasReceivedAll;
    }

    final synchronized boolean isAtEnd() {
        return state.isAtEnd();
    }

    /** The other side sends no more. Whether nothing is to be sent either, so that nothing can happen any more. */
    final synchronized boolean onEnd() {
        return state.endInput();
    }

    /** Accepts nothing more. Whether nothing is queued; else an update gives this order when that is so. */
    final boolean finish(int order) {
        lastOrder = order;
        synchronized (this) {
            state.close();
            if (tls == null && queue.isEmpty()) {
                return true;
            }
        }
        requestUpdate();
        return false;
    }

    /** Whether all that was accepted was ordered to be sent, and TLS can say that it ends. */
    private boolean isFlushed() {
        return tls == null ? queue.isEmpty()
                : tls.outgoing() == 0 && tls.waiting() == 0 && (state.isDropped() || !tls.awaitsTask());
    }

    /** Tells the other side that no more comes, when nothing does; if that can't be said, by a reset. */
    private void endTls() {
        if (tls == null || tls.waiting() > 0 || lastOrder != Orders.CLOSE && lastOrder != Orders.SHUTDOWN) {
            return;
        }
        try {
            tls.close();
            orderQueue();
        } catch (SSLException e) {
            lastOrder = Orders.ABORT;
        }
    }

    /** Whether TLS is broken, and the error handler was not told. */
    private boolean hasUntoldFailure() {
        return tls != null && tls.failure() != null && !state.isDropped();
    }

    /** Nothing can be sent any more, but the alert by which TLS tells the other side why. */
    final synchronized void drop() {
        state.drop();
        if (tls != null) {
            tls.dropWaiting();
        }
        giveBackAll(queue);
        if (behindCall != null) {
            giveBackAll(behindCall);
        }
    }

    /** Each is taken out before: it must not be given back twice. */
    private void giveBackAll(ArrayDeque<ByteBuffer> buffers) {
        for (ByteBuffer next = buffers.poll(); next != null; next = buffers.poll()) {
            memory.giveBack(next);
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
            loop.fail(this, tls.failure());
        }
    }

    /** For this reason if it aborts. False if TLS has failed, and the error handler is to be told. */
    private boolean orderAll(Ending ending) {
        if (state.isAborted()) {
            int dropped = tls != null ? tls.outgoing() + tls.waiting()
                    : queue.stream().mapToInt(ByteBuffer::position).sum();
            loop.leave(number, ending, Orders.ABORT, state.isCut() ? Math.max(1, dropped) : dropped);
            return true;
        }
        if (awaitsMemory) {
            loop.awaitMemory(this);
        }
        if (tls != null && tls.isEstablished()) {
            loop.openIfNew(this); // a thread that sent something may have finished the handshake
        }
        orderQueue();
        if (state.isShuttingDown() && isFlushed()) {
            shutDown();
        }
        if (!state.isOpen()) {
            endTls();
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
        if (isStopped && awaitsHandshake() && !tls.isFull()) {
            setPausedByLoop(false);
        }
    }

    private void setPausedByLoop(boolean stops) {
        isStopped = stops;
        loop.setPaused(number, stops);
    }

    private void orderQueue() {
        flights.makeRoom(); // what is taken out of a queue must get into the flights
        if (tls != null) {
            try {
                tls.flush();
            } catch (SSLException e) {
                state.close();
            }
            ByteBuffer ciphertext = flights.count() < MAX_TLS_FLIGHTS || state.isDropped() ? tls.takeOutgoing() : null;
            if (ciphertext != null) {
                pending += ciphertext.remaining();
                order(ciphertext.position(ciphertext.limit()));
            }
        }
        while (!queue.isEmpty() && flights.count() < MAX_FLIGHTS) {
            flights.makeRoom();
            order(queue.pollFirst());
        }
    }

    private void shutDown() {
        state.onShut();
        if (tls == null) {
            loop.arena.orders().add(number, Orders.SHUTDOWN);
        } else {
            endTls();
        }
    }

    private void order(ByteBuffer full) {
        int length = full.position();
        flights.add(length, full); // first: who looks for buffers to give back finds each in one place
        loop.arena.orders().add(number, Orders.SEND | Orders.RESIDENT | Orders.NOTIFY, DirectMemory.address(full),
                length);
    }

    /** The connection has ended, or is another's: nothing is sent any more. TLS goes on if another has it. */
    final void end(boolean isHandedOver) {
        synchronized (this) {
            state.end();
            drop();
            pending = 0;
        }
        if (tasks != null) {
            List.copyOf(tasks).forEach(task -> task.cancel(false));
        }
        if (tls != null && isHandedOver) {
            tls.use(loop.slowPathBuffers());
        } else if (tls != null) {
            tls.release();
        }
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

    /** How many bytes were ordered to be sent since it is held, all that was taken of them included. */
    final long ordered() {
        return flights.ordered();
    }

    public final synchronized boolean wouldAccept() {
        return isAccepting() && pending() < allowed();
    }

    public final <T> void setOption(SocketOption<T> name, T value) throws IOException {
        try (SocketChannel socket = loop.optionsOf(this)) {
            socket.setOption(name, value);
        }
    }

    public final <T> T getOption(SocketOption<T> name) throws IOException {
        try (SocketChannel socket = loop.optionsOf(this)) {
            return socket.getOption(name);
        }
    }

    public final Set<SocketOption<?>> supportedOptions() throws IOException {
        try (SocketChannel socket = loop.optionsOf(this)) {
            return socket.supportedOptions();
        }
    }

    protected final void setTimeout(TimedPhase phase, long limit) {
        loop.setTimeout(this, phase, limit);
    }
}
