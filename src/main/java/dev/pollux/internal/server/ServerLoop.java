// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

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
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * One thread of a server: an arena, a handler, and connections. A turn of the arena is one batch.
 *
 * <p>For its own thread, but those whose comments say so, and {@link #statistics}.
 * Allocation: none for a request that the handler answers at once.
 *
 * <h2>One batch</h2>
 *
 * The thread, the only one that uses the {@code Arena}, repeats {@code serveBatch}:
 *
 * <ol>
 * <li>A turn of the arena carries out the orders of the last batch, waits, and returns how many {@code Arrivals} there
 *     are. They lie in memory that Java sees as one buffer, and so do the {@code Orders}. Bytes of connections lie in
 *     another one. A connection is a number in both.
 * <li>{@code LoopRequests} calls the handler for all bytes that arrived, until it has consumed them or wants no more,
 *     and turns each result into an order. The handler sees them through one of the {@code RequestViews}, and nothing
 *     beside them. A reply in {@code data} or in {@code ResidentMemory} is sent from where it is. {@code ReplyWriter}
 *     copies others into the arena's room for replies, or into {@code ReplyMemory} if that is full. Large ones it
 *     offers to the socket at once ({@code plx_arena_try_send}). With {@code maxPending} bytes of replies it hands the
 *     rest of the requests back (AGAIN), and gets them when these are sent.
 * <li>Then come the tasks of other threads: deferred replies, adopted connections, the end. The loop is woken for them
 *     only if it may be waiting. Who posts a task after the loop has ended runs it, and it is refused.
 * <li>Last come held connections ({@code HeldConnection}) that were sent something, paused or closed in this batch.
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
 * <li>A batch never orders more than there is room for. {@code LoopRequests} keeps room for what every connection may
 *     need, and leaves the rest of the bytes for the next batch (AGAIN), as it does when {@code ReplyMemory} has
 *     enough.
 * <li>A handler's buffer has no byte but those of its request: what it writes must not reach arrivals, orders or
 *     counts. It may be kept, so the memory that it shows outlives the arena ({@code ArenaBlock}).
 * <li>Whatever a handler, an error handler, an executor, an engine of TLS or a lack of memory throws harms one
 *     connection, and the loop goes on: each step for a connection has a guard ({@link #onFailure}). A failure of the
 *     arena's turn alone ends the loop. When it ends, no descriptor is left, and other loops have its new connections.
 * </ul>
 */
final class ServerLoop implements Loop, LoopStatistics.Source, Runnable {
    // Over 250 lines: one batch, from the wait to what each arrival means.

    private final ServerLoops server;
    final Arena arena;
    private final LoopTimeouts timeouts;
    private final LoopConnections connections;
    private final LoopStatistics statistics;
    private final LoopReplies replies;
    private final LoopMoves moves;
    private final LoopEvents events;
    private final LoopRequests requests;
    private final SecureRequests secureRequests;
    private final LoopOpenings openings;
    private final LoopSweep sweep;
    private final LoopTimer timer;

    /** Tasks of connections that are due later, and those that are due now. */
    private final TaskWheel wheel = new TaskWheel(System.nanoTime());
    private final ArrayDeque<LoopTask> due = new ArrayDeque<>();

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Set before a turn that may wait, and taken by who wakes it: a loop that is busy is not woken. */
    private final AtomicBoolean isWakeable = new AtomicBoolean();

    /** The id of the thread that posted a task last; 0 before. Racy: it is for people. */
    private long poster;

    /** Held connections that are to be updated at the end of this batch, each once, or of later ones. */
    private final ArrayDeque<HeldConnection> updates = new ArrayDeque<>();

    private final LongAdder refusedSends = new LongAdder();

    /** Held connections whose handlers are to hear when there is memory for what they send. */
    private final Set<HeldConnection> waiting = new LinkedHashSet<>();

    private final BufferPool buffers;
    private final int maxPending;

    private long listening;
    private boolean isFencing;

    /** Null before it runs. */
    private volatile Thread thread;

    /** It is to end, or has: no connection is accepted, and no further request is handled. */
    volatile boolean isClosing;

    /** The arena is closed: the calling thread itself refuses what is still asked for. */
    private volatile boolean hasEnded;

    ServerLoop(ServerLoops server, Arena arena, ServerSettings settings, HandlerCall call) {
        this.server = server;
        this.arena = arena;
        statistics = new LoopStatistics(this);
        timeouts = new LoopTimeouts(settings.maxConnections + 1, settings.timeouts);
        connections = new LoopConnections(settings.maxConnections + 1, timeouts);
        maxPending = settings.maxPending;
        buffers = new BufferPool(server.waiting);
        moves = new LoopMoves(arena, connections);
        replies = new LoopReplies(arena, connections, server.resident);
        events = new LoopEvents(this, replies, connections, statistics, call);
        requests = new LoopRequests(this, replies, events, connections, statistics, settings);
        secureRequests = new SecureRequests(this, connections, requests, events);
        openings = new LoopOpenings(this, server, connections, events, secureRequests);
        sweep = new LoopSweep(this, connections, timeouts, moves, events);
        timer = new LoopTimer();
    }

    void listen(ServerSocketChannel channel) throws IOException {
        listening = arena.listen(Descriptors.of(channel));
    }

    /** Has the loop do something. Any thread. If this throws, the loop does not do it. */
    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    void post(Runnable task) {
        poster = Thread.currentThread().getId();
        tasks.add(task);
        wake();
        if (hasEnded) {
            runTasks();
        }
    }

    /** Has the loop look for what there is to do, if it may be waiting. Any thread. */
    void wake() {
        if (isWakeable.compareAndSet(true, false)) {
            wakeUp();
        }
    }

    private void wakeUp() {
        synchronized (isWakeable) {
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
            onFailure(connection, e);
        }
    }

    /** A step for a connection, or for none (0), has failed: this one is reset and its failure told. */
    void onFailure(long connection, Throwable error) {
        try {
            ServerLoop to = moves.end(connection);
            if (to != null) {
                to.unreserve();
            }
            events.breakOff(connection, error);
        } catch (Throwable e) { // memory or stack is still short, and what is in the way of the others is gone
            Unexpected.caught("the failure of a server's connection", e);
        }
    }

    void replyLater(DeferredReply reply, ByteBuffer... parts) {
        post(() -> guard(reply.connection, () -> requests.finishDeferred(reply, parts)));
    }

    /** Has a held connection updated, at the end of this batch or soon. Any thread. */
    void postUpdate(HeldConnection held) {
        if (isCurrent()) {
            updates.add(held);
        } else if (!hasEnded) {
            post(() -> guard(held.number(), () -> postUpdate(held)));
        }
    }

    /** Has a task of a connection run at its time. Any thread. */
    void schedule(LoopTask task) {
        if (!isCurrent()) {
            post(() -> schedule(task, isCurrent()));
        } else {
            schedule(task, true);
        }
    }

    /** What this thread is not told of in time is gone with the loop. */
    private void schedule(LoopTask task, boolean isRunning) {
        if (isRunning && !task.isDone() && task.held().addTask(task)) {
            wheel.add(task, System::nanoTime);
        } else {
            task.cancel(false);
        }
    }

    /** A task was cancelled, or is to be run. Any thread. */
    void unschedule(LoopTask task) {
        if (isCurrent()) {
            wheel.remove(task);
            task.held().removeTask(task);
        } else if (!hasEnded) {
            post(() -> {
                if (isCurrent()) {
                    unschedule(task);
                }
            });
        }
    }

    /** Has a task of a connection run soon. Any thread. */
    void execute(HeldConnection held, LoopTask task) {
        post(() -> {
            if (isCurrent()) {
                runGuarded(held, task);
            }
        });
    }

    private void runGuarded(HeldConnection held, LoopTask task) {
        guard(held.number(), () -> events.run(held, task));
    }

    private void runDue() {
        if (wheel.isEmpty()) {
            return;
        }
        wheel.takeDue(System.nanoTime(), due);
        for (LoopTask task = due.poll(); task != null; task = due.poll()) {
            unschedule(task);
            runGuarded(task.held(), task);
        }
    }

    private long nanosToWait() {
        if (!tasks.isEmpty() || !updates.isEmpty() || secureRequests.hasMore() || mayGoOn()) {
            return 0;
        }
        long nanos = timeouts.nanosToWait(timer.nanosToWait(), connections.open());
        nanos = buffers.nanosToWait(replies.memory().nanosToWait(events.lingering.nanosToWait(nanos)));
        if (wheel.isEmpty()) {
            return nanos;
        }
        long next = wheel.nanosToWait(System.nanoTime());
        return nanos < 0 ? next : Math.min(nanos, next);
    }

    /** As many as there is room for: each is asked for once, but may have much to order. */
    private void updateHeld() {
        while (!updates.isEmpty() && arena.orders().room() >= HeldConnection.MAX_ORDERS) {
            HeldConnection held = updates.poll();
            try {
                held.update();
            } catch (Throwable e) { // of the engine, say, which is to end TLS
                onFailure(held.number(), e);
            }
        }
    }

    /** Whether the calling thread is this loop's. */
    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    LoopReplies replies() {
        return replies;
    }

    BufferPool buffers() {
        return buffers;
    }

    BufferPool slowPathBuffers() {
        return server.buffers;
    }

    /** A held connection that was refused something is to hear when there is memory again. */
    void awaitMemory(HeldConnection held) {
        waiting.add(held);
        server.waiting.await();
    }

    /** A held connection has ended. */
    void forget(HeldConnection held) {
        waiting.remove(held);
    }

    private boolean mayGoOn() {
        return !waiting.isEmpty() && server.waiting.isRelieved();
    }

    /** Tells those who wait for memory, as far as the batch has room for what they send. */
    private void tellWaiting() {
        Iterator<HeldConnection> each = waiting.iterator();
        while (each.hasNext() && replies.hasRoom()) {
            HeldConnection held = each.next();
            each.remove();
            guard(held.number(), () -> events.writable(held));
        }
    }

    int maxPending() {
        return maxPending;
    }

    /** Whether a connection is served, and no reply of it is deferred. */
    boolean isRequestAwaited(long connection) {
        return connections.state(connection) == LoopConnections.SERVED;
    }

    /** A held connection ends, as its holder has asked for, by an order if that is due; some bytes are dropped. */
    void leave(long connection, Ending ending, int order, int dropped) {
        events.setLeaving(connection, ending);
        if (order != HeldConnection.NO_ORDER) {
            arena.orders().add(connection, order, 0, dropped);
        }
    }

    /** A held connection is of no more use, whatever it was to end for. */
    void fail(HeldConnection held, Throwable error) {
        events.fail(held.number(), error);
        connections.fail(held.number());
    }

    /** A held connection is to receive no more for now, or to go on. */
    void setPaused(long connection, boolean paused) {
        if (paused) {
            arena.orders().add(connection, Orders.PAUSE);
        } else {
            resume(connection);
        }
    }

    /** The handler of an established connection is to hear of it, in the next batch, unless it has. */
    void openIfNew(HeldConnection held) {
        if (!connections.isKnown(held.number())) {
            secureRequests.serveAgain(held);
        }
    }

    /** Receives again, and handles what was received. */
    void resume(long connection) {
        HeldConnection held = secure(connection);
        arena.orders().add(connection, Orders.RESUME);
        if (held != null) {
            held.setAwaiting(0);
            secureRequests.serveAgain(held);
        }
    }

    /** Has an executor run what TLS computes; then the connection goes on. */
    void runTlsTask(Runnable task, HeldConnection held) {
        server.executeTlsTask(() -> {
            task.run();
            post(() -> guard(held.number(), () -> secureRequests.onTaskEnd(held)));
        });
    }

    /** A channel for the options of a connection's socket, which has a descriptor of its own. */
    SocketChannel optionsOf(HeldConnection held) throws IOException {
        if (!isCurrent()) {
            throw new IllegalStateException("options of a socket are for the loop's thread: use execute()");
        }
        return server.channelOf(arena.duplicate(held.number()));
    }

    /** Gives a connection a time of its own for a phase. Any thread. */
    void setTimeout(HeldConnection held, TimedPhase phase, long limit) {
        if (isCurrent() && held.number() != 0) {
            connections.setTimeout(held.number(), phase, limit);
        } else {
            post(() -> connections.setTimeout(held.number(), phase, limit));
        }
    }

    void setTimeout(long connection, TimedPhase phase, long limit) {
        connections.setTimeout(connection, phase, limit);
    }

    Object attachment(long connection) {
        return connections.attachment(connection);
    }

    Object attach(long connection, Object next) {
        return connections.attach(connection, next);
    }

    /** What outlives the calls for a connection; made if there is none. One that has ended gets one that has. */
    HeldConnection hold(long connection, HandlerCall call) {
        HeldConnection held = connections.held(connection);
        if (held == null) {
            held = call.hold();
            if (connections.state(connection) == LoopConnections.NONE) {
                held.attach(connections.attachment(connection));
                held.end(false);
            } else {
                hold(connection, held);
            }
        }
        if (held.remoteAddress() == null && connections.state(connection) != LoopConnections.NONE) {
            held.setAddresses(arena.peer(connection), arena.local(connection));
        }
        return held;
    }

    /** From now on it outlives the calls. */
    void hold(long connection, HeldConnection held) {
        held.begin(connection);
        connections.hold(connection, held);
        arena.orders().add(connection, Orders.DUPLEX);
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
        String state = isWakeable.get() ? "blocked or about to be: the next task signals"
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

    /** A connection has refused to send something. Any thread. */
    void onRefusedSend() {
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
                serveBatch();
            }
            takeLast(turn(0)); // what the last batch has ordered is to be known of
            sweep.tellWhatIsCut();
        } catch (Throwable e) {
            failure = e;
        } finally {
            end(failure);
        }
    }

    /** Leaves nothing. The failure is told last: its handler finds no connection of the loop, and the address free. */
    private void end(Throwable failure) {
        isClosing = true;
        try {
            Loops.remove(this);
            arena.close();
            replies.memory().close();
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
        return isClosing && (connections.open() == 0 || timer.isOver());
    }

    private void serveBatch() throws IOException {
        isWakeable.set(true);
        int arrived = turn(nanosToWait());
        isWakeable.set(false);
        buffers.shrink();
        requests.beginBatch();
        timeouts.beginBatch();
        if (secureRequests.hasMore()) {
            secureRequests.serveMore();
        }
        for (int i = 0; i < arrived; i++) {
            take(i);
        }
        moves.release();
        runTasks();
        runDue();
        if (timer.isAcceptDue()) {
            arena.orders().add(listening, Orders.RESUME);
        }
        if (timeouts.isLookDue()) {
            sweep.look();
        }
        events.endLingering();
        if (mayGoOn()) {
            tellWaiting();
        }
        updateHeld();
    }

    private void take(int arrival) {
        try {
            look(arrival);
        } catch (Throwable e) {
            onFailure(arena.arrivals().connection(arrival), e);
        }
    }

    private int turn(long nanos) throws IOException {
        long waits = arena.count(ArenaNatives.WAITS);
        long waited = arena.count(ArenaNatives.WAITED);
        statistics.onTurn();
        int arrived = arena.turn(nanos);
        if (arena.count(ArenaNatives.WAITS) != waits) {
            statistics.onWaited(arena.count(ArenaNatives.WAITED) - waited);
        }
        statistics.onSelection(Math.max(arrived, 0));
        statistics.set(Counter.CHANGES, arena.count(ArenaNatives.CHANGES));
        return arrived;
    }

    private void look(int arrival) {
        Arrivals arrivals = arena.arrivals();
        long connection = arrivals.connection(arrival);
        switch (arrivals.what(arrival)) {
            case Arrivals.DATA -> serve(connection, arrival);
            case Arrivals.ACCEPTED -> accept(connection);
            case Arrivals.END -> onEnd(connection);
            case Arrivals.ERROR -> fail(connection, arrivals.detail(arrival));
            case Arrivals.CLOSED -> end(connection);
            case Arrivals.SENT -> events.sent(connection, arrivals.detail(arrival));
            case Arrivals.CONNECTED -> openings.onConnected(connection);
            case Arrivals.RELEASED -> release(connection, arrival);
            case Arrivals.WAKEUP -> statistics.add(Counter.WAKEUPS, 1);
            case Arrivals.FENCED -> {
                isFencing = false;
                server.onFencePassed();
            }
            default -> { }
        }
    }

    /** Serves a new connection, or has it go to a loop that has fewer, and a place for it. */
    private void accept(long connection) {
        statistics.add(Counter.ACCEPTED, 1);
        connections.begin(connection);
        boolean isMoving = !isClosing && server.isHeavy(this) && moves.begin(connection, server.lightest());
        if (!isMoving) {
            openings.openNew(connection);
        }
    }

    /** How many connections it serves, or will soon. Any thread: about now. */
    int load() {
        return connections.open() + moves.balance();
    }

    /** Keeps a place for a connection that is to be {@linkplain #moveHere moved}; false: there is none. Any thread. */
    boolean reserve() {
        boolean isReserved = !isClosing && arena.reserve();
        if (isReserved) {
            moves.promise(1); // the next one may go to another loop
        }
        return isReserved;
    }

    /** The connection that a place is kept for will come, and is not counted elsewhere. Any thread. */
    void expect() {
        moves.expect();
        moves.promise(-1);
    }

    /** It will not come: the next turn may accept another one. Any thread. */
    void unreserve() {
        moves.promise(-1);
        arena.unreserve();
        post(() -> { });
    }

    /**
     * Serves a connection of another loop, soon, and bytes that were received from it. Any thread. A place for it is
     * {@linkplain #reserve reserved}, and it was {@linkplain #expect expected} before it left that one, so that
     * it is always counted.
     */
    void moveHere(int descriptor, byte[] unread) {
        try {
            post(() -> arrive(descriptor, unread));
        } catch (OutOfMemoryError e) {
            moves.arrive();
            arena.unreserve();
            Arena.dispose(descriptor);
            server.onTrouble(Trouble.CONNECTION, e, null);
        }
    }

    private void arrive(int descriptor, byte[] unread) {
        try {
            if (isClosing) {
                server.moveOn(descriptor, unread);
                return;
            }
            long connection = arena.adoptOwn(descriptor, unread);
            connections.begin(connection);
            guard(connection, () -> openings.openNew(connection));
        } catch (IOException e) {
            server.onTrouble(Trouble.CONNECTION, e, null);
        } finally {
            moves.arrive();
        }
    }

    /** A connection by TLS; null: it is none. */
    private HeldConnection secure(long connection) {
        HeldConnection held = connections.held(connection);
        return held == null || held.tls() == null ? null : held;
    }

    private void serve(long connection, int arrival) {
        int from = arena.arrivals().bytes(arrival);
        int length = arena.arrivals().length(arrival);
        HeldConnection held = secure(connection);
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
        HeldConnection held = secure(connection);
        if (held != null) {
            secureRequests.onEnd(held);
        } else {
            events.end(connection);
        }
    }

    private void end(long connection) {
        ServerLoop to = moves.end(connection);
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
                server.onTrouble(Trouble.ACCEPT, new IOException("accepting: " + Arena.describe(code)), null);
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
            onFailure(connection, e);
            end(connection);
            return;
        }
        ServerLoop to = moves.end(connection);
        if (to != null) {
            to.expect();
            connections.end(connection);
            to.moveHere(descriptor, unread);
            return;
        }
        HeldConnection held = connections.held(connection);
        try {
            end(connection);
        } finally {
            handOver(descriptor, unread, held == null ? null : held.tls());
        }
    }

    private void handOver(int descriptor, byte[] unread, TlsStream tls) {
        try {
            server.handOver(descriptor, unread, tls);
        } catch (OutOfMemoryError e) {
            Arena.dispose(descriptor);
            server.onTrouble(Trouble.SLOW_PATH, e, null);
        } finally {
            Thread.interrupted(); // of the slow path or its executor, which may have run here
        }
    }

    /** The system knows of none before it is connected. */
    private SocketAddress peerOf(long connection) {
        SocketAddress peer = arena.peer(connection);
        HeldConnection held = peer == null ? connections.held(connection) : null;
        return held == null ? peer : held.remoteHost();
    }

    /** Tells what went wrong with a connection that has not ended; 0: with one that has, perhaps with the arena. */
    void tell(Trouble where, Throwable error, long connection) {
        try {
            server.onTrouble(where, error, connection == 0 ? null : peerOf(connection));
        } catch (RuntimeException | Error e) {
            server.onTrouble(where, error, null);
        } finally {
            Thread.interrupted();
        }
    }

    /** Takes a connection over, soon; the channel is closed then. Any thread. */
    void adoptLater(SocketChannel channel, byte[] unread, TlsStream tls) {
        post(() -> adopt(channel, unread, tls));
    }

    private void adopt(SocketChannel channel, byte[] unread, TlsStream tls) {
        ServerLoop other = isClosing ? server.lightest() : this;
        if (!other.isClosing && other != this) { // this one has failed meanwhile
            other.adoptLater(channel, unread, tls);
            return;
        }
        SocketAddress peer = ServerLoops.peerOf(channel);
        try (channel) {
            if (isClosing) {
                throw new IOException("the server is closed");
            }
            int descriptor = Descriptors.of(channel);
            long connection = arena.adopt(descriptor, unread);
            statistics.add(Counter.ADOPTED, 1);
            connections.begin(connection);
            guard(connection, () -> {
                sendOwed(connection, descriptor);
                openings.open(connection, tls);
            });
        } catch (Throwable e) {
            server.onTrouble(Trouble.CONNECTION, e, peer);
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
            if (isClosing) {
                throw new IOException("the server is closed");
            }
            long connection = arena.connect(Descriptors.of(channel));
            statistics.add(Counter.CONNECTED, 1);
            connections.begin(connection);
            guard(connection, () -> {
                hold(connection, held);
                held.requestUpdate();
            });
            isHeld = connections.held(connection) == held;
        } catch (Throwable e) {
            server.onTrouble(Trouble.CONNECTION, e, held.remoteHost());
        } finally {
            moves.arrive();
            if (!isHeld) {
                held.call.begin(0);
                events.close(held.call, held, Ending.FAILED, true);
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
        if (!isClosing) {
            isClosing = true;
            arena.orders().add(listening, Orders.CLOSE);
            sweep.shutDownAll(!timer.isOver());
        }
    }
}
