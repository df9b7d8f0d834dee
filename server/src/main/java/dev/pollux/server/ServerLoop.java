// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Arrivals;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.tls.BufferLimit;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.LongAdder;

/**
 * One thread of a server: an arena, a handler, and connections. A round is one turn of the arena, and what it brings.
 *
 * <p>For its own thread, but those whose comments say so, and {@link #statistics}.
 * Allocation: none for a request that the handler answers at once.
 *
 * <h2>One round</h2>
 *
 * The thread, the only one that uses the {@code Arena}, repeats {@code serveRound}:
 *
 * <ol>
 * <li>A turn of the arena carries out the orders of the last round, waits, and returns how many {@code Arrivals} there
 *     are. They lie in memory that Java sees as one buffer, and so do the {@code Orders}. Bytes of connections lie in
 *     another one. A connection is a number in both.
 * <li>{@code LoopRequests} calls the handler for all bytes that arrived, until it has consumed them or wants no more,
 *     and turns each result into an order. The handler sees them through one of the {@code RequestViews}, and nothing
 *     beside them. A reply in {@code data} or in {@code ResidentMemory} is sent from where it is, others are copied to
 *     the {@code ReplyMemory}. Large ones are offered to the socket at once ({@code plx_arena_try_send}). With {@code
 *     maxPending} bytes of replies it hands the rest of the requests back (AGAIN), and gets them when these are sent.
 * <li>Then come the tasks of other threads: deferred replies, adopted connections, the end. The loop is woken for them
 *     only if it may be waiting. Who posts a task after the loop has ended runs it, and it is refused.
 * <li>Last come held connections ({@code HeldConnection}) that were sent something, paused or closed in this round.
 *     What was accepted for them is ordered in large pieces, at most some at a time, and counted when it was sent.
 * <li>{@code LoopTimer} and {@code LoopTimeouts} say what time has made necessary. They read the clock only if there is
 *     something to wait for.
 * </ol>
 *
 * <p>What must stay true:
 *
 * <ul>
 * <li>Released resident memory is used again only when a fence behind it has passed every loop ({@code
 *     ResidentMemory}).
 * <li>A deferred reply is sent only to a connection whose state in {@code LoopConnections} is DEFERRED. Numbers are
 *     compared whole, so the reply of a connection that has gone never reaches its successor.
 * <li>A round never orders more than there is room for. {@code LoopRequests} keeps room for what every connection may
 *     need, and leaves the rest of the bytes for the next round (AGAIN), as it does when {@code ReplyMemory} has
 *     enough.
 * <li>A handler's buffer has no byte but those of its request: what it writes must not reach arrivals, orders or
 *     counts. It may be kept, so the memory that it shows outlives the arena ({@code ArenaBlock}).
 * <li>Whatever a handler, an error handler, an executor, an engine of TLS or a lack of memory throws harms one
 *     connection, and the loop goes on: each step for a connection has a guard ({@code LoopEvents.onFailure}). A
 *     failure of the arena's turn alone ends the loop. When it ends, no descriptor is left, and other loops have its
 *     new connections.
 * </ul>
 */
final class ServerLoop implements Loop, LoopStatistics.Source, Runnable, HeldConnection.Loop, DeferredReply.Loop {
    /** What the loops of a server have together. All methods are for any thread. */
    interface Server {
        /** The loop with the fewest connections of those that take new ones; if none does, one that refuses them. */
        ServerLoop lightest();

        /** Whether another loop has fewer connections, so that it is to serve the next one. */
        boolean isHeavy(ServerLoop loop);

        /** Has another loop serve a connection that was moved to one that has ended meanwhile. */
        void moveOn(int descriptor, byte[] unread);

        /** Pins the calling thread, a loop's, if that was asked for. */
        void pin(ServerLoop loop);

        /** A loop has sent what was to be sent before its fence. */
        void onFencePassed();

        /** A loop has ended, and has left nothing; null: as it should. */
        void onLoopEnd(Throwable failure);
    }

    private final Server server;
    /** Stack to queue a task and to wake a loop, generously. */
    private static final int POST_FRAMES = 64;

    private static final AtomicIntegerFieldUpdater<ServerLoop> WAKEABLE =
            AtomicIntegerFieldUpdater.newUpdater(ServerLoop.class, "wakeable");

    private final ServerSettings settings;
    private final Arena arena;
    private final SocketChannels channels;
    private final HandOvers handOvers;
    private final ServerErrorHandler errors;
    private final LoopTimeouts timeouts;
    private final LoopConnections connections;
    private final LoopStatistics statistics;
    private final LoopReplies replies;
    final LoopMoves moves;
    private final LoopEvents events;
    private final LoopRequests requests;
    private final SecureRequests secureRequests;
    private final LoopUpdates updates;
    private final LoopTasks connectionTasks;
    private final LoopSweep sweep;
    private final LoopTimer timer;

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Set before a turn that may wait, and taken by who wakes it: a loop that is busy is not woken. */
    @SuppressWarnings("unused") // by WAKEABLE, too
    private volatile int wakeable;

    /** The id of the thread that posted a task last; 0 before. Racy: it is for people. */
    private long poster;

    private final LongAdder refusedSends = new LongAdder();

    private final BufferPool buffers;

    private long listening;
    private boolean isFencing;

    /** Null before it runs. */
    private volatile Thread thread;

    /** The arena is closed: the calling thread itself refuses what is still asked for. */
    private volatile boolean hasEnded;

    ServerLoop(Server server, ServerSettings settings, Arena arena, ResidentMemory resident, BufferLimit waiting,
            SocketChannels channels, HandOvers handOvers) {
        this.server = server;
        this.settings = settings;
        this.arena = arena;
        this.channels = channels;
        this.handOvers = handOvers;
        errors = settings.errors;
        statistics = new LoopStatistics(this);
        buffers = new BufferPool(waiting);
        timeouts = new LoopTimeouts(settings.maxConnections + 1, settings.timeouts);
        connections = new LoopConnections(arena, settings.maxConnections + 1, timeouts,
                () -> newHeld(null));
        moves = new LoopMoves(arena, connections, this, this::arrive);
        replies = new LoopReplies(arena, connections, resident, buffers);
        HandlerCall call = new HandlerCall(settings.server, Objects.requireNonNull(settings.handlers.get(), "handler"),
                connections, replies, this);
        events = new LoopEvents(arena, connections, moves, replies, statistics, call, errors, waiting,
                handOvers.buffers());
        requests = new LoopRequests(arena, connections, replies, events, statistics, settings);
        secureRequests = new SecureRequests(this, settings.tlsExecutor, arena.orders(), connections, requests, events);
        updates = new LoopUpdates(this, arena.orders(), connections, events, secureRequests);
        connectionTasks = new LoopTasks(this, events);
        sweep = new LoopSweep(arena, connections, timeouts, moves, events);
        timer = new LoopTimer();
    }

    /** A connection that this loop will have, with a handler of its own, or the loop's (null). Any thread. */
    HeldConnection newHeld(ConnectionHandler handler) {
        return new HeldConnection(settings.server, handler, this, arena.orders(), buffers, settings.maxPending);
    }

    void listen(ServerSocketChannel channel) throws IOException {
        listening = arena.listen(Descriptors.of(channel));
    }

    @Override
    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    public void post(Runnable task) {
        poster = Thread.currentThread().getId();
        Room.requireStack(POST_FRAMES); // if the stack ends, then before the task is among those that are run
        tasks.add(task);
        wake();
        if (hasEnded) {
            runTasks();
        }
    }

    /** Has the loop look for what there is to do, if it may be waiting. Any thread. */
    void wake() {
        if (wakeable != 0 && WAKEABLE.compareAndSet(this, 1, 0)) {
            try {
                wakeUp();
            } catch (RuntimeException | Error e) { // the stack may end here: no call
                wakeable = 1; // the next task wakes it
                throw e;
            }
        }
    }

    private void wakeUp() {
        synchronized (tasks) {
            statistics.add(Counter.WAKEUP_CALLS, 1);
        }
        try {
            arena.wakeup();
        } catch (InternalError e) { // the program has closed the waker: the loop's next turn finds that out, too
            Unexpected.caught("a wakeup of a server's loop", e);
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guard(0, task);
        }
    }

    /** Does something for a connection, or for none (0): if it fails, all others go on. */
    private void guard(long connection, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            events.onFailure(connection, e);
        }
    }

    @Override
    public void replyLater(DeferredReply reply, ByteBuffer... parts) {
        post(() -> guard(reply.connection, () -> {
            if (requests.finishDeferred(reply, parts)) {
                secureRequests.resume(reply.connection);
            }
        }));
    }

    @Override
    public void postUpdate(HeldConnection held) {
        updates.post(held);
    }

    @Override
    public Future<?> schedule(HeldConnection held, long nanoTime, Runnable task) {
        return connectionTasks.schedule(held, nanoTime, task);
    }

    @Override
    public void execute(HeldConnection held, Runnable task) {
        connectionTasks.execute(held, task);
    }

    @Override
    public void setTimeout(HeldConnection held, Phase phase, long limit) {
        if (isCurrent() && held.number() != 0) {
            connections.setTimeout(held.number(), phase, limit);
        } else {
            post(() -> connections.setTimeout(held.number(), phase, limit));
        }
    }

    @Override
    public SocketChannel channelOf(HeldConnection held) throws IOException {
        if (!isCurrent()) {
            throw new IllegalStateException("options of a socket are for the loop's thread: use execute()");
        }
        return channels.of(arena.duplicate(held.number()));
    }

    /** Until something is due though nothing arrives; negative: for ever. */
    private long nanosToWait() {
        if (!tasks.isEmpty() || !updates.isEmpty() || secureRequests.hasMore() || events.hasRelieved()) {
            return 0;
        }
        long nanos = Math.min(timer.nanosToWait(), events.nanosToWait());
        nanos = Math.min(nanos, Math.min(connectionTasks.nanosToWait(), timeouts.nanosToWait(connections.open())));
        nanos = Math.min(nanos, Math.min(buffers.nanosToWait(), replies.memory.nanosToWait()));
        return nanos == Long.MAX_VALUE ? -1 : Math.max(nanos, 0);
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    @Override
    public long calls() {
        return replies.calls();
    }

    boolean isClosing() {
        return connections.isClosing();
    }

    @Override
    public String kind() {
        return "StreamServer";
    }

    @Override
    public String mechanism() {
        return arena.name();
    }

    @Override
    public LoopStatistics statistics() {
        return statistics;
    }

    @Override
    public int size() {
        return connections.open();
    }

    @Override
    public int refused() {
        return 0;
    }

    @Override
    public boolean isReadable() {
        return false;
    }

    @Override
    public boolean isWoken() {
        return !tasks.isEmpty();
    }

    @Override
    public String gate() {
        if (hasEnded) {
            return "";
        }
        String state = wakeable != 0 ? "blocked or about to be: the next task signals"
                : statistics.isWaiting() ? "woken: the signal was sent, and the thread has not come out of its wait"
                : "idle: the next task is kept, without a signal";
        return state + "; " + Printable.waker(poster) + "; signals: " + statistics.count(Counter.WAKEUP_CALLS)
                + " sent" + (isWoken() ? "; tasks wait" : "");
    }

    @Override
    public long state() {
        return arena.state();
    }

    @Override
    public void copyTo(long[] counts) {
        long[] ofArena = new long[ArenaNatives.COUNTS];
        arena.counts(ofArena);
        counts[Counter.SYSTEM_CALLS.ordinal()] = ofArena[ArenaNatives.SYSTEM_CALLS];
        counts[Counter.RECEIVED_BYTES.ordinal()] = ofArena[ArenaNatives.RECEIVED_BYTES];
        counts[Counter.SENT_BYTES.ordinal()] = ofArena[ArenaNatives.SENT_BYTES];
        counts[Counter.REFUSED_SENDS.ordinal()] = refusedSends.sum();
    }

    @Override
    public void onRefusedSend() {
        refusedSends.increment();
    }

    /** Connections that are served here, or will be soon. Any thread. */
    int open() {
        return connections.open() + moves.expected();
    }

    /** Bytes of memory for what waits. Any thread. */
    long waiting() {
        return buffers.taken();
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        Throwable failure = null;
        try {
            server.pin(this);
            statistics.onFirstUse(true);
            while (!isDone()) {
                serveRound();
            }
            takeLast(turn(0)); // what the last round has ordered is to be known of
            sweep.tellWhatIsCut();
        } catch (Throwable e) {
            failure = e;
        } finally {
            end(failure);
        }
    }

    /**
     * Leaves nothing. The failure is told last: its handler finds no connection of the loop, and the address free. If
     * its own thread could not be started, another one calls this.
     */
    void end(Throwable failure) {
        connections.setClosing();
        try {
            Loops.remove(this);
            arena.close();
            replies.memory.reset();
            sweep.closeAll();
            buffers.close();
        } finally {
            hasEnded = true;
            try {
                if (isFencing) {
                    server.onFencePassed();
                }
                runTasks();
            } finally {
                server.onLoopEnd(failure); // whatever happens: close() waits for it
            }
        }
    }

    /** Connections that the arena has given up have no other owner. */
    private void takeLast(int arrived) {
        for (int i = 0; i < arrived; i++) {
            if (arena.arrivals().what(i) == Arrivals.RELEASED) {
                take(i);
            }
        }
    }

    private boolean isDone() {
        return isClosing() && (connections.open() == 0 || timer.isOver());
    }

    private void serveRound() throws IOException {
        wakeable = 1;
        int arrived = turn(nanosToWait());
        wakeable = 0;
        buffers.shrink();
        requests.beginRound();
        timeouts.beginRound();
        if (secureRequests.hasMore()) {
            secureRequests.serveMore();
        }
        for (int i = 0; i < arrived; i++) {
            take(i);
        }
        moves.release();
        runTasks();
        connectionTasks.runDue();
        if (timer.isAcceptDue()) {
            arena.orders().add(listening, Orders.RESUME);
        }
        if (timeouts.isLookDue()) {
            sweep.look();
        }
        events.endLingering();
        if (events.hasRelieved()) {
            events.tellRelieved();
        }
        updates.run();
    }

    private int turn(long nanos) throws IOException {
        long waits = arena.count(ArenaNatives.WAITS);
        long waited = arena.count(ArenaNatives.WAITED);
        statistics.onRound();
        int arrived = arena.turn(nanos);
        if (arena.count(ArenaNatives.WAITS) != waits) {
            statistics.onWaited(arena.count(ArenaNatives.WAITED) - waited);
        }
        statistics.onSelection(Math.max(arrived, 0));
        statistics.set(Counter.CHANGES, arena.count(ArenaNatives.CHANGES));
        return arrived;
    }

    private void take(int arrival) {
        Arrivals arrivals = arena.arrivals();
        long connection = arrivals.connection(arrival);
        try {
            switch (arrivals.what(arrival)) {
                case Arrivals.DATA -> serve(connection, arrival);
                case Arrivals.ACCEPTED -> accept(connection);
                case Arrivals.END -> onEnd(connection);
                case Arrivals.ERROR -> fail(connection, arrivals.detail(arrival));
                case Arrivals.CLOSED -> end(connection);
                case Arrivals.SENT -> events.sent(connection, arrivals.detail(arrival));
                case Arrivals.CONNECTED -> onConnected(connection);
                case Arrivals.RELEASED -> release(connection, arrival);
                case Arrivals.WAKEUP -> statistics.add(Counter.WAKEUPS, 1);
                case Arrivals.FENCED -> {
                    isFencing = false;
                    server.onFencePassed();
                }
                default -> { }
            }
        } catch (Throwable e) {
            events.onFailure(connection, e);
        }
    }

    /** Serves a new connection, or has it go to a loop that has fewer, and a place for it. */
    private void accept(long connection) {
        statistics.add(Counter.ACCEPTED, 1);
        connections.begin(connection);
        boolean isMoving = !isClosing() && server.isHeavy(this) && moves.begin(connection, server.lightest().moves);
        if (!isMoving) {
            openNew(connection);
        }
    }

    /** One that was accepted. */
    private void openNew(long connection) {
        try {
            channels.setOptions(arena, connection);
            open(connection, settings.newTls(buffers));
        } catch (Throwable e) { // the application makes the engine, and the other side may have reset it
            events.fail(connection, e);
        }
    }

    /** One that has begun, with TLS or without (null). */
    private void open(long connection, TlsStream tls) {
        if (isClosing()) {
            events.leave(connection, Orders.CLOSE, CloseReason.SERVER);
        } else if (tls == null) {
            events.open(connection);
        } else {
            HeldConnection held = newHeld(null);
            held.secure(tls);
            connections.hold(connection, held);
            secureRequests.open(held);
        }
    }

    /** One that this loop has asked for. */
    private void onConnected(long connection) {
        HeldConnection held = connections.held(connection);
        held.setAddresses(held.remoteAddress(), arena.local(connection));
        if (held.tls() == null) {
            events.open(connection);
        } else {
            secureRequests.open(held);
        }
    }

    /** How many connections it serves, or will soon. Any thread: about now. */
    int load() {
        return connections.open() + moves.balance();
    }

    private void arrive(int descriptor, byte[] unread) {
        try {
            if (isClosing()) {
                server.moveOn(descriptor, unread);
                return;
            }
            long connection = arena.adoptOwn(descriptor, unread);
            connections.begin(connection);
            guard(connection, () -> openNew(connection));
        } catch (IOException e) {
            errors.handle(Place.CONNECTION, e, null);
        } finally {
            moves.arrive();
        }
    }

    private void serve(long connection, int arrival) {
        int from = arena.arrivals().bytes(arrival);
        int length = arena.arrivals().length(arrival);
        HeldConnection held = secureRequests.of(connection);
        if (held != null) {
            secureRequests.serve(held, arena.memory().slice(from, length));
        } else if (!moves.keep(connection, arrival)) {
            requests.serve(connection, from, length);
        }
    }

    private void onEnd(long connection) {
        if (events.endLingering(connection)) {
            return;
        }
        HeldConnection held = secureRequests.of(connection);
        if (held != null) {
            secureRequests.onEnd(held);
        } else {
            events.end(connection);
        }
    }

    private void end(long connection) {
        LoopMoves to = moves.end(connection);
        if (to != null) {
            connections.end(connection);
            to.unreserve();
        } else if (connection != listening) {
            requests.forget(connection);
            timer.acceptSoon(); // there may be a descriptor for the next one now
            events.close(connection);
        }
    }

    private void fail(long connection, long code) {
        if (connection == listening) {
            if (timer.pauseAccept()) {
                errors.handle(Place.ACCEPT, new IOException("accepting: " + Arena.describe(code)), null);
            }
        } else if (!moves.abort(connection)) {
            events.fail(connection, new IOException(Arena.describe(code)));
        }
    }

    /** The descriptor is this loop's now. */
    private void release(long connection, int arrival) {
        Arrivals arrivals = arena.arrivals();
        int descriptor = (int) arrivals.detail(arrival);
        byte[] unread;
        try {
            unread = arrivals.unread(arrival);
        } catch (OutOfMemoryError e) { // without these bytes it is of no use
            Arena.dispose(descriptor);
            events.onFailure(connection, e);
            end(connection);
            return;
        }
        LoopMoves to = moves.end(connection);
        if (to != null) {
            to.expectReserved();
            connections.end(connection);
            to.moveHere(descriptor, unread);
            return;
        }
        HeldConnection held = secureRequests.of(connection);
        try {
            end(connection);
        } finally {
            handOvers.handOver(descriptor, unread, held == null ? null : held.tls().stream);
        }
    }

    /** Takes a connection over, soon; the channel is closed then. Any thread. */
    void adoptLater(SocketChannel channel, byte[] unread, TlsStream tls) {
        post(() -> adopt(channel, unread, tls));
    }

    private void adopt(SocketChannel channel, byte[] unread, TlsStream tls) {
        ServerLoop other = isClosing() ? server.lightest() : this;
        if (!other.isClosing() && other != this) { // this one has failed meanwhile
            other.adoptLater(channel, unread, tls);
            return;
        }
        SocketAddress peer = HandOvers.peerOf(channel);
        try (channel) {
            if (isClosing()) {
                throw new IOException("the server is closed");
            }
            int descriptor = Descriptors.of(channel);
            long connection = arena.adopt(descriptor, unread);
            statistics.add(Counter.ADOPTED, 1);
            connections.begin(connection);
            guard(connection, () -> {
                sendOwed(connection, descriptor);
                open(connection, tls);
            });
        } catch (Throwable e) {
            errors.handle(Place.CONNECTION, e, peer);
        }
    }

    /** What its channel has written and its socket had no room for comes before all that is sent here. */
    private void sendOwed(long connection, int descriptor) {
        byte[] owed = Streams.takeOwed(descriptor);
        if (owed != null) {
            replies.sendLater(connection, ByteBuffer.wrap(owed));
        }
    }

    /** Takes over a channel that connects, soon; it is closed then. Any thread. */
    void connectLater(SocketChannel channel, HeldConnection held) {
        moves.expect();
        post(() -> connect(channel, held));
    }

    private void connect(SocketChannel channel, HeldConnection held) {
        boolean isHeld = false;
        try (channel) {
            if (isClosing()) {
                throw new IOException("the server is closed");
            }
            long connection = arena.connect(Descriptors.of(channel));
            statistics.add(Counter.CONNECTED, 1);
            connections.begin(connection);
            guard(connection, () -> {
                connections.hold(connection, held);
                held.requestUpdate();
            });
            isHeld = connections.held(connection) == held;
        } catch (Throwable e) {
            errors.handle(Place.CONNECTION, e, held.remoteHost());
        } finally {
            moves.arrive();
            if (!isHeld) {
                events.closeUnbegun(held);
            }
        }
    }

    /** Tells the server when all that was to be sent until now needs its memory no more. */
    void fence() {
        if (hasEnded) {
            server.onFencePassed();
        } else {
            isFencing = true;
            arena.orders().add(0, Orders.FENCE);
        }
    }

    /** Accepts no more, and ends when every connection has, or at the deadline. */
    void finish(long nanoTime) {
        timer.setDeadline(nanoTime);
        if (!isClosing()) {
            connections.setClosing();
            arena.orders().add(listening, Orders.CLOSE);
            sweep.shutDownAll(!timer.isOver());
        }
    }
}
