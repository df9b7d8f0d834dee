// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import dev.pollux.server.ConnectionState.Output;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * A connection that outlives a call of its handler. What is sent is copied under a lock, by any thread, to its {@link
 * Outbound}; the loop's thread orders that to be sent at the end of a round, or is woken for that. While much is on its
 * way, more of it waits, and is sent in few large pieces. Whether it receives and sends is its {@link ConnectionState}.
 *
 * <p>The public methods are those of the public interface, which explains them, and for any thread; the others are for
 * the loop's thread.
 */
final class HeldConnection implements Connection {
    /** The loop that serves it. */
    interface Loop extends LoopThread {
        /** How many calls of handlers have begun. For the loop's thread. */
        long calls();

        /** A connection has something to be ordered. Any thread. */
        void postUpdate(HeldConnection held);

        /** A connection has refused to send something. Any thread. */
        void onRefusedSend();

        /** Runs a task of a connection at that time, {@link System#nanoTime}. Any thread. */
        Future<?> schedule(HeldConnection held, long nanoTime, Runnable task);

        /** Runs a task of a connection soon. Any thread. */
        void execute(HeldConnection held, Runnable task);

        /** Has a phase of a connection end after these nanoseconds; 0: never. Any thread. */
        void setTimeout(HeldConnection held, Phase phase, long limit);

        /** A channel for the options of a connection's socket, which has a descriptor of its own. */
        SocketChannel channelOf(HeldConnection held) throws IOException;
    }

    /** An update makes no more. */
    static final int MAX_ORDERS = PlainOutbound.MAX_FLIGHTS + 8;

    /** Later than that is never. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    private final StreamServer server;
    private final ConnectionHandler handler;
    private final Loop loop;
    private final Orders orders;
    private final BufferPool memory;
    private final int maxPending;

    /** The connection's number; 0 before the loop has it. For the loop's thread, as those that follow. */
    private long number;

    /** Orders of which it is not known yet that they were sent. */
    private final Flights flights = new Flights();

    /** The arena holds back what arrives, until it is told to resume. */
    private boolean isStopped;

    /** The other side sends no more, and the handler is to hear that when it is resumed. */
    boolean endsLater;

    /** What waits for its time; null before there is something. */
    private Set<FutureTask<Void>> tasks;

    /** What ends the connection, when all that was accepted was ordered to be sent. */
    private int lastOrder = Orders.CLOSE;

    /** What is accepted, and not ordered yet; guarded by this, as all that follows is. */
    private volatile Outbound outbound;

    /** A call of the handler has sent something: what others send meanwhile comes behind all of that. */
    private boolean isInCall;

    /** What they have sent. Null before the first time. */
    private PlainOutbound behindCall;

    private long accepted;

    private long inFlight;

    /** Something was refused, so the handler is to hear when it would be accepted. */
    private boolean hasRefused;

    /** An update was asked for, and has not begun. */
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

    /** With a handler of its own, or that of its loop (null). */
    HeldConnection(StreamServer server, ConnectionHandler handler, Loop loop, Orders orders, BufferPool memory,
            int maxPending) {
        this.server = server;
        this.handler = handler;
        this.loop = loop;
        this.orders = orders;
        this.memory = memory;
        this.maxPending = maxPending;
        outbound = new PlainOutbound(memory);
    }

    /** The handler that it has for itself, since this server has asked for it; null: its loop's. */
    ConnectionHandler handler() {
        return handler;
    }

    @Override
    public StreamServer server() {
        return server;
    }

    @Override
    public boolean send(ByteBuffer bytes) {
        return send(bytes, null);
    }

    @Override
    public boolean send(ByteBuffer head, ByteBuffer body) {
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
        return Math.min(maxPending, memory.limit().share());
    }

    /** A call of the handler sends something. */
    synchronized void beginCall() {
        isInCall = true;
    }

    void endCall() {
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
                state.advance(Output.CLOSING);
            } catch (Throwable e) { // what was taken out is lost
                fail(e);
            }
        }
        requestUpdate();
    }

    /** It breaks the stream of bytes, so it is reset by the next update. That concerns no other connection. */
    private void fail(Throwable cause) {
        failure = cause;
        state.advance(Output.CUT);
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
            state.advance(Output.CLOSING); // the other side has closed it, or the update tells of a failure
        } catch (Throwable e) {
            state.advance(Output.CUT);
            loop.postUpdate(this);
            throw e;
        }
    }

    /**
     * Has the loop do what was asked for, at the end of its round or soon: once, however many threads ask, since a
     * round has room for a number of orders only.
     */
    void requestUpdate() {
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

    @Override
    public synchronized long accepted() {
        return accepted;
    }

    @Override
    public synchronized long pending() {
        return inFlight + outbound.pending() + (behindCall == null ? 0 : behindCall.pending());
    }

    @Override
    public SSLEngine sslEngine() {
        TlsOutbound tls = tls();
        return tls == null ? null : tls.stream.engine();
    }

    @Override
    public void pause() {
        synchronized (this) {
            state.pause();
        }
        requestUpdate();
    }

    @Override
    public void resume() {
        synchronized (this) {
            state.resume();
        }
        requestUpdate();
    }

    @Override
    public void shutdownOutput() {
        noteEnd();
        advance(Output.SHUTTING);
    }

    @Override
    public void close() {
        noteEnd();
        advance(Output.CLOSING);
    }

    @Override
    public void abort() {
        advance(Output.ABORTED);
    }

    private void advance(Output to) {
        synchronized (this) {
            state.advance(to);
        }
        requestUpdate();
    }

    private void noteEnd() {
        if (loop.isCurrent()) {
            endedIn = loop.calls();
        }
    }

    /** Whether this call, as the loop counts them, has ended its output. */
    boolean hasEndedIn(long handlerCall) {
        return endedIn == handlerCall;
    }

    @Override
    public synchronized boolean isOpen() {
        return state.isOpen();
    }

    @Override
    public synchronized boolean isWritable() {
        return isAccepting() && pending() < allowed();
    }

    @Override
    public void setTimeout(Phase phase, Duration time) {
        loop.setTimeout(this, phase, LoopTimeouts.limit(time));
    }

    @Override
    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        try (SocketChannel socket = loop.channelOf(this)) {
            socket.setOption(name, value);
        }
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        try (SocketChannel socket = loop.channelOf(this)) {
            return socket.getOption(name);
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() throws IOException {
        try (SocketChannel socket = loop.channelOf(this)) {
            return socket.supportedOptions();
        }
    }

    @Override
    public Future<?> schedule(Duration delay, Runnable task) {
        long nanos = delay.compareTo(LONGEST) < 0 ? delay.toNanos() : LONGEST.toNanos();
        return loop.schedule(this, System.nanoTime() + Math.max(0, nanos), task);
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(this, task);
    }

    /** A task of it waits for its time from now on; false if it has ended. */
    boolean addTask(FutureTask<Void> task) {
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

    void removeTask(FutureTask<Void> task) {
        if (tasks != null) {
            tasks.remove(task);
        }
    }

    @Override
    public SocketAddress remoteAddress() {
        return remote;
    }

    /** The other side's address, as error handlers get it. */
    SocketAddress remoteHost() {
        return remote instanceof InetSocketAddress host ? host : null;
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public Object attachment() {
        return attachment;
    }

    @Override
    public synchronized Object attach(Object next) {
        Object before = attachment;
        attachment = next;
        return before;
    }

    void setAddresses(SocketAddress there, SocketAddress here) {
        remote = there;
        local = here;
    }

    /** What is sent and received is encrypted. Before anything else. */
    void secure(TlsStream stream) {
        outbound = new TlsOutbound(stream, memory);
    }

    /** What its bytes are encrypted by; null without TLS. */
    TlsOutbound tls() {
        return outbound instanceof TlsOutbound tls ? tls : null;
    }

    void begin(long connection) {
        number = connection;
    }

    long number() {
        return number;
    }

    /** Whether what its handler sends may be ordered at once, without changing the order of what was sent. */
    synchronized boolean mayBePassed() {
        return outbound.mayBePassed();
    }

    /** Whether what is sent has any chance. */
    synchronized boolean isAccepting() {
        return state.isAccepting();
    }

    /** Puts a reply of its handler behind what was accepted, whatever is pending: the handler was called for it. */
    void sendReply(ByteBuffer bytes) {
        synchronized (this) {
            if (!isAccepting()) {
                return;
            }
            append(bytes);
        }
        requestUpdate();
    }

    /** A reply of its handler is to be ordered at once. */
    void beforeOrder() {
        flights.makeRoom();
    }

    void onOrdered(int length) {
        flights.add(length, null);
        synchronized (this) {
            accepted += length;
            inFlight += length;
        }
    }

    synchronized boolean isPaused() {
        return state.isPaused() && state.isOpen();
    }

    /** Whether its handler is to get no more data for now. A handshake goes on: what is pending may wait for that. */
    synchronized boolean isHeldBack() {
        return outbound.isFull() || outbound.isEstablished()
                && (state.isPaused() || !state.isOpen() || pending() >= Math.max(1, allowed()));
    }

    /** Whether what its handler leaves comes again when it goes on, even if nothing is received before that. */
    synchronized boolean comesAgain() {
        return isHeldBack() || state.isResumed();
    }

    /** Whether nothing is to be received for now. What waits for a handshake needs what the peer says in that. */
    synchronized boolean isToStop() {
        return isHeldBack() && (outbound.isFull() || !outbound.awaitsHandshake() || outbound.hasUnread());
    }

    /** The arena was ordered to hold back what arrives, or to resume. */
    void setStopped(boolean stopped) {
        isStopped = stopped;
    }

    /** That many of the orders were sent: whether the handler is to hear that it is writable. */
    boolean onSent(long orders) {
        long bytes = 0;
        for (long i = 0; i < orders; i++) {
            bytes += flights.firstLength();
            forgetFirst();
        }
        synchronized (this) {
            inFlight -= bytes;
            return takeWritable();
        }
    }

    /** Whether its handler is to hear that it is writable: that is so once after something was refused. */
    synchronized boolean takeWritable() {
        boolean isWritable = hasRefused && pending() <= allowed() / 2 && isAccepting();
        hasRefused &= !isWritable;
        awaitsMemory = false;
        return isWritable;
    }

    /** Whether it was refused something for lack of memory, and its handler has not heard since that it is writable. */
    synchronized boolean awaitsMemory() {
        return awaitsMemory;
    }

    synchronized boolean isAtEnd() {
        return state.isAtEnd();
    }

    /** The other side sends no more. Whether nothing is to be sent either, so that nothing can happen any more. */
    synchronized boolean onEnd() {
        return state.endInput();
    }

    /** Accepts nothing more. Whether nothing is to be ordered before; else an update gives this order, behind that. */
    boolean finish(int order) {
        lastOrder = order;
        synchronized (this) {
            state.advance(Output.CLOSING);
            if (outbound.mayBePassed()) {
                return true;
            }
        }
        requestUpdate();
        return false;
    }

    /** Whether all that was accepted was ordered to be sent. */
    boolean isFlushed() {
        return outbound.isFlushed(state.isDropped());
    }

    /** Tells the other side that no more comes; if that can't be said, by a reset. False: its socket's end is to. */
    boolean sayEnd() {
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
    boolean hasUntoldFailure() {
        return outbound.failure() != null && !state.isDropped();
    }

    /** Nothing can be sent any more, but the alert by which TLS tells the other side why. */
    synchronized void drop() {
        state.advance(Output.DROPPED);
        outbound.drop();
        if (behindCall != null) {
            behindCall.drop();
        }
    }

    /** An update has failed, say: no later one does anything but end the connection. */
    synchronized void breakOff() {
        state.advance(Output.CUT);
    }

    /** What it is aborted for, once, if that is not known yet to who is told of failures. */
    synchronized Throwable takeFailure() {
        Throwable taken = state.hasEnded() || number == 0 ? null : failure;
        failure = taken == null ? failure : null;
        return taken;
    }

    /** An update begins, which the calling thread has this locked for; false: there is nothing to update. */
    boolean beginUpdate() {
        isDue = false;
        state.onLook();
        return !state.hasEnded() && number != 0;
    }

    ConnectionState state() {
        return state;
    }

    Outbound outbound() {
        return outbound;
    }

    /** The order that ends it when all was ordered that was accepted. */
    int lastOrder() {
        return lastOrder;
    }

    boolean isStopped() {
        return isStopped;
    }

    /** An alert goes out at once, however much is on its way. */
    void orderOutbound() {
        try {
            outbound.flush();
        } catch (SSLException e) {
            state.advance(Output.CLOSING);
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

    /** Ends the output: all of it was ordered. */
    void shutDownNow() {
        state.onShut();
        if (!sayEnd()) {
            orders.add(number, Orders.SHUTDOWN);
        }
    }

    private void order(ByteBuffer full) {
        int length = full.position();
        flights.add(length, full); // first: who looks for buffers to give back finds each in one place
        inFlight += length;
        orders.add(number, Orders.SEND | Orders.RESIDENT | Orders.NOTIFY, DirectMemory.address(full),
                length);
    }

    /** It has ended, or is another's: nothing is sent any more. TLS goes on with this pool, if that is not null. */
    void end(BufferPool slowPath) {
        synchronized (this) {
            state.advance(Output.ENDED);
            drop();
            inFlight = 0;
        }
        if (tasks != null) {
            List.copyOf(tasks).forEach(task -> task.cancel(false));
        }
        outbound.release(slowPath);
        while (flights.count() > 0) {
            forgetFirst();
        }
    }

    /** How many bytes were ordered to be sent since it is held, all that was taken of them included. */
    long ordered() {
        return flights.ordered();
    }

    /** The first flight needs its memory no more. */
    private void forgetFirst() {
        ByteBuffer used = flights.take();
        if (used != null) {
            memory.giveBack(used);
        }
    }
}
