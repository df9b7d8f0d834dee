// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.tls.BufferLimit;
import dev.pollux.internal.tls.TlsChannel;
import dev.pollux.internal.tls.TlsStream;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;

/**
 * The loops of a server, and what they share: the address, resident memory, the slow path, the end. Where each thing is
 * that is behind a {@link StreamServer}; arrows among these classes go one way:
 *
 * <ul>
 * <li>{@code ServerSettings} are this object's, {@code LoopArenas} sees that all loops have one mechanism, {@code
 *     SocketFile} is what listening in the Unix domain leaves. {@code HandOvers} leads to the slow path, {@code
 *     SocketChannels} sets the options of sockets.
 * <li>{@code ServerLoop} is one thread with an arena: its Javadoc leads through a round. As {@code LoopThread} the
 *     parts below it have something done by it.
 * <li>{@code LoopRequests} calls the handler ({@code HandlerCall}) with data and orders what it wants; {@code
 *     SecureRequests} decrypts first. {@code LoopEvents} calls it for all else, and has connections end. {@code
 *     RequestViews} is what the handler sees, {@code LongRequests} what is longer than an arena keeps.
 * <li>{@code LoopReplies} orders what the handler sends. {@code ReplyMemory} and {@code ResidentMemory} have the
 *     bytes of replies, {@code DeferredReply} is one that is given later.
 * <li>{@code HeldConnection} is a connection that outlives a call; with TLS each is one. {@code ConnectionState} draws
 *     what becomes of its two ways. What is sent waits in its {@code Outbound}, in buffers of its loop's {@code
 *     BufferPool}: as it is in a {@code PlainOutbound}, by TLS in a {@code TlsOutbound}, which also has what was
 *     received. {@code Flights} are the buffers that the system has not taken yet. {@code LoopUpdates} orders what was
 *     asked for; {@code LoopTasks} runs its tasks at their time, by a {@code TaskWheel}.
 * <li>{@code LoopMoves} has the connections that another loop is to serve.
 * <li>{@code LoopConnections} has the {@code ServiceState} of each connection and the {@code Phase} of its input, both
 *     drawn; {@code LoopTimeouts} how long it may be in that, {@code LoopSweep} what is done then. {@code
 *     LingeringClose} has those that get a last reply. {@code LoopTimer} is what else time makes necessary.
 * </ul>
 *
 * <p>Safe for use by many threads once it was {@linkplain #start started}. Allocates for what is adopted, or goes to
 * the slow path.
 */
final class ServerLoops implements ServerLoop.Server {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final byte[] NOTHING = {};

    private final ServerSettings settings;
    private final SocketAddress address;
    private final LoopArenas arenas;
    private final ResidentMemory resident;
    private final SocketChannels channels;
    private final HandOvers handOvers;

    /** What connections that are served may have waiting together. */
    private final BufferLimit waiting;
    private final List<ServerLoop> loops = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch running;

    /** Null if it does not listen in the Unix domain. */
    private SocketFile file;

    /** Opens the loops, and listens; throws as {@code StreamServerBuilder.start} says. */
    ServerLoops(ServerSettings settings) throws IOException {
        this.settings = settings;
        channels = new SocketChannels(settings.address, settings.options);
        DirectMemory.find();
        arenas = new LoopArenas(settings);
        resident = new ResidentMemory(settings.loops);
        handOvers = new HandOvers(settings, channels);
        running = new CountDownLatch(settings.loops);
        waiting = new BufferLimit(settings.maxWaiting > 0 ? settings.maxWaiting : DirectMemory.max() / 2,
                settings.loops, () -> loops.forEach(ServerLoop::wake));
        try {
            address = open();
        } catch (Throwable e) {
            arenas.close();
            deleteFile();
            throw e;
        }
    }

    private void deleteFile() {
        if (file != null) {
            file.delete();
        }
    }

    /** Opens loops that share the connections: by a listening socket each, or else of one. */
    private SocketAddress open() throws IOException {
        for (Arena arena : arenas.open(settings.loops)) {
            loops.add(new ServerLoop(this, settings, arena, resident, waiting, channels,
                    handOvers));
        }
        try (ServerSocketChannel first = listener(settings.address)) {
            file = SocketFile.of(first.getLocalAddress());
            loops.get(0).listen(first);
            for (ServerLoop each : loops.subList(1, loops.size())) {
                try (ServerSocketChannel own = canShare(first) ? listener(first.getLocalAddress()) : null) {
                    each.listen(own != null ? own : first);
                }
            }
            return first.getLocalAddress();
        }
    }

    private ServerSocketChannel listener(SocketAddress where) throws IOException {
        ServerSocketChannel listener = where instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
        boolean complete = false;
        try {
            if (settings.loops > 1 && canShare(listener)) {
                listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            listener.bind(where, settings.backlog);
            complete = true;
            return listener;
        } catch (SocketException e) {
            throw at("Listening at " + where, e);
        } finally {
            if (!complete) {
                listener.close();
            }
        }
    }

    private static SocketException at(String what, SocketException e) {
        String message = what + ": " + e.getMessage();
        SocketException told = e instanceof BindException ? new BindException(message)
                : e instanceof ConnectException ? new ConnectException(message) : new SocketException(message);
        told.initCause(e);
        return told;
    }

    private static boolean canShare(ServerSocketChannel listener) {
        return listener.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT);
    }

    /** Starts the threads of all loops; if one can't be, nothing is left. */
    void start(ThreadFactory factory) throws IOException {
        int number = NUMBERS.incrementAndGet();
        int started = 0;
        try {
            for (ServerLoop each : loops) {
                Loops.add(each); // here, since JFR tells whose call has opened it
                Thread thread = factory.newThread(each);
                thread.setName("pollux-server-" + number + '-' + threads.size());
                threads.add(thread);
            }
            for (; started < threads.size(); started++) {
                threads.get(started).start();
            }
        } catch (Throwable e) {
            loops.subList(started, loops.size()).forEach(each -> each.end(null));
            closeNow();
            throw new IOException("Starting the thread of loop " + (started + 1) + " of " + loops.size() + ": "
                    + e.getMessage() + ". Use fewer loops, or raise the limit of threads (ulimit -u, pids.max)", e);
        }
    }

    SocketAddress address() {
        return address;
    }

    String mechanism() {
        return loops.get(0).mechanism();
    }

    ByteBuffer resident(ByteBuffer bytes) {
        return resident.copyOf(bytes);
    }

    void release(ByteBuffer bytes) {
        fenceIf(resident.release(bytes));
    }

    @Override
    public void onFencePassed() {
        fenceIf(resident.onFencePassed());
    }

    private void fenceIf(boolean isDue) {
        if (isDue) {
            loops.forEach(loop -> loop.post(loop::fence));
        }
    }

    /** Gives a connection to a loop, as if it had been accepted. */
    void adopt(SocketChannel channel, ByteBuffer unread) throws IOException {
        channel.configureBlocking(true);
        if (!channel.isConnected()) {
            throw new NotYetConnectedException();
        }
        byte[] bytes = new byte[unread.remaining()];
        unread.get(bytes);
        if (channel instanceof TlsChannel secure) {
            secure.stream().putBack(ByteBuffer.wrap(bytes));
            lightest().adoptLater(secure.channel(), NOTHING, secure.stream());
        } else {
            lightest().adoptLater(channel, bytes, settings.newTls(handOvers.buffers()));
        }
    }

    /** Connects to an address, in the calling loop or the next one; the handler is for that connection alone. */
    Connection connect(SocketAddress remote, ConnectionHandler handler, SSLEngine engine) throws IOException {
        SocketChannel channel = SocketChannels.open(remote);
        boolean complete = false;
        try {
            channel.configureBlocking(false);
            channel.connect(remote);
            ServerLoop loop = loops.stream().filter(each -> each.isCurrent() && !each.isClosing()).findAny()
                    .orElseGet(this::lightest);
            HeldConnection held = loop.newHeld(handler);
            held.setAddresses(remote, null);
            if (engine != null) {
                held.secure(new TlsStream(engine, handOvers.buffers()));
            }
            loop.connectLater(channel, held);
            complete = true;
            return held;
        } catch (ConnectException e) {
            throw at("Connecting to " + remote, e);
        } finally {
            if (!complete) {
                channel.close();
            }
        }
    }

    @Override
    public void pin(ServerLoop loop) {
        int code = settings.isPinned ? ArenaNatives.pin(loops.indexOf(loop)) : 0;
        if (code < 0) {
            System.getLogger("dev.pollux").log(Level.WARNING, "StreamServer at " + address
                    + ": the thread of a loop is not pinned: " + Arena.describe(-code));
        }
    }

    @Override
    public ServerLoop lightest() {
        ServerLoop lightest = loops.get(0);
        for (int i = 1; i < loops.size(); i++) { // an iterator for each connection would be garbage
            ServerLoop each = loops.get(i);
            boolean isLighter = lightest.isClosing() || each.load() < lightest.load();
            lightest = isLighter && !each.isClosing() ? each : lightest;
        }
        return lightest;
    }

    @Override
    public void moveOn(int descriptor, byte[] unread) {
        for (ServerLoop each : loops) {
            if (each.moves.reserve()) {
                each.moves.expectReserved();
                each.moves.moveHere(descriptor, unread);
                return;
            }
        }
        Arena.dispose(descriptor);
        settings.errors.handle(Place.CONNECTION, new IOException("a connection has lost its loop, and no other one has"
                + " a place for it, or the server is closed"), null);
    }

    @Override
    public boolean isHeavy(ServerLoop loop) {
        int least = lightest().load();
        return loop.load() > least + least / 16 + 1;
    }

    /** What all loops have counted together. */
    ServerStatistics statistics() {
        long[] sums = new long[Counter.ALL];
        long open = 0;
        long waiting = 0;
        for (ServerLoop each : loops) {
            long[] counts = each.statistics().counts();
            Arrays.setAll(sums, i -> sums[i] + counts[i]);
            open += each.open();
            waiting += each.waiting();
        }
        return new ServerStatistics(sums, open, running.getCount(), waiting);
    }

    @Override
    public void onLoopEnd(Throwable failure) {
        running.countDown();
        if (failure != null) {
            settings.errors.handle(Place.LOOP, failure, null);
        }
    }

    /** Ends them gracefully, or at the deadline; waits for that, but not in a handler. */
    void close(long time, TimeUnit unit) throws InterruptedException {
        long deadline = System.nanoTime() + Math.min(unit.toNanos(time), Long.MAX_VALUE / 2);
        deleteFile();
        loops.forEach(loop -> loop.post(() -> loop.finish(deadline)));
        if (!threads.contains(Thread.currentThread())) {
            running.await();
        }
    }

    /** The same without any time for that. If the thread is interrupted, it is not waited for. */
    void closeNow() {
        try {
            close(0, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isOpen() {
        return running.getCount() > 0;
    }

    @Override
    public String toString() {
        return "StreamServer at " + address + " on " + arenas.features;
    }
}
