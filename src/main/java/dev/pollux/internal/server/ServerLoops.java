// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.ConnectedChannels;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.tls.BufferLimit;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsChannel;
import dev.pollux.internal.tls.TlsStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * The loops of a server, and what they share: the address, resident memory, the slow path, the end.
 *
 * <p>Safe for use by many threads once it was {@linkplain #start started}. Allocates for what is adopted, or goes to
 * the slow path.
 */
public final class ServerLoops {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final byte[] NOTHING = {};

    private final ServerSettings settings;
    private final SocketAddress address;
    private final ConnectedChannels channels = new ConnectedChannels();
    private final LoopArenas arenas;
    final ResidentMemory resident;

    /** Of the slow path. */
    final BufferPool buffers = new BufferPool();

    /** What connections that are served may have waiting together. */
    final BufferLimit waiting;
    private final List<ServerLoop> loops = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch running;

    /** Null if it does not listen in the Unix domain. */
    private SocketFile file;

    /** Opens the loops, and listens; throws as {@code StreamServerBuilder.start} says. */
    public ServerLoops(ServerSettings settings) throws IOException {
        this.settings = settings;
        requireOptions();
        DirectMemory.find();
        arenas = new LoopArenas(settings);
        resident = new ResidentMemory(settings.loops);
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

    private static SocketChannel newChannel(SocketAddress remote) throws IOException {
        return remote instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
    }

    /** What cannot be set is not to be found out with each connection. */
    private void requireOptions() throws IOException {
        try (SocketChannel one = newChannel(settings.address)) {
            setOptions(one);
        }
    }

    /** The options of an accepted connection. */
    @SuppressWarnings("unchecked") // each has a value of its type
    private void setOptions(SocketChannel channel) throws IOException {
        for (Map.Entry<SocketOption<?>, Object> each : settings.options.entrySet()) {
            channel.setOption((SocketOption<Object>) each.getKey(), each.getValue());
        }
    }

    /** Sets the options of one, by a channel that {@link #channelOf} makes; nothing is made if there are none. */
    void setOptions(Arena arena, long connection) throws IOException {
        if (!settings.options.isEmpty()) {
            try (SocketChannel channel = channelOf(arena.duplicate(connection))) {
                setOptions(channel);
            }
        }
    }

    /** A channel of a connected socket, which owns the descriptor; that is closed if this throws. */
    SocketChannel channelOf(int descriptor) throws IOException {
        try {
            return channels.of(SelectorProvider.provider(), Arena.family(descriptor), descriptor);
        } catch (Throwable e) {
            Arena.dispose(descriptor);
            throw e;
        }
    }

    /** Opens loops that share the connections: by a listening socket each, or else of one. */
    private SocketAddress open() throws IOException {
        for (Arena arena : arenas.open(settings.loops)) {
            loops.add(new ServerLoop(this, arena, settings, settings.handlers.get()));
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

    public void start() {
        int number = NUMBERS.incrementAndGet();
        for (int i = 0; i < settings.loops; i++) {
            Loops.add(loops.get(i)); // here, since JFR tells whose call has opened it
            threads.add(new Thread(null, loops.get(i), "pollux-server-" + number + '-' + i, 0, false));
        }
        threads.forEach(Thread::start);
    }

    public SocketAddress address() {
        return address;
    }

    public String mechanism() {
        return loops.get(0).mechanism();
    }

    public String features() {
        return arenas.features;
    }

    public ByteBuffer resident(ByteBuffer bytes) {
        return resident.copyOf(bytes);
    }

    public void release(ByteBuffer bytes) {
        fenceIf(resident.release(bytes));
    }

    /** A loop has sent what was to be sent before its fence. */
    void onFencePassed() {
        fenceIf(resident.onFencePassed());
    }

    private void fenceIf(boolean isDue) {
        if (isDue) {
            loops.forEach(loop -> loop.post(loop::fence));
        }
    }

    /** Gives a connection to a loop, as if it had been accepted. */
    public void adopt(SocketChannel channel, ByteBuffer unread) throws IOException {
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
            lightest().adoptLater(channel, bytes, newTls());
        }
    }

    /** Connects to an address, in the calling loop or the next one; the call is for that connection alone. */
    public HeldConnection connect(SocketAddress remote, HandlerCall call, SSLEngine engine) throws IOException {
        SocketChannel channel = newChannel(remote);
        boolean complete = false;
        try {
            channel.configureBlocking(false);
            channel.connect(remote);
            call.loop = loops.stream().filter(each -> each.isCurrent() && !each.isClosing).findAny()
                    .orElseGet(this::lightest);
            HeldConnection held = call.hold();
            held.setAddresses(remote, null);
            if (engine != null) {
                held.secure(new TlsStream(engine, buffers));
            }
            call.loop.connectLater(channel, held);
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

    /** Pins the calling thread, a loop's, if that was asked for. */
    void pin(ServerLoop loop) {
        int code = settings.isPinned ? ArenaNatives.pin(loops.indexOf(loop)) : 0;
        if (code < 0) {
            System.getLogger("dev.pollux").log(Level.WARNING, "StreamServer at " + address
                    + ": the thread of a loop is not pinned: " + Arena.describe(-code));
        }
    }

    /** The loop with the fewest connections of those that take new ones; if none does, one that refuses them. */
    ServerLoop lightest() {
        ServerLoop lightest = loops.get(0);
        for (int i = 1; i < loops.size(); i++) { // an iterator for each connection would be garbage
            ServerLoop each = loops.get(i);
            boolean isLighter = lightest.isClosing || each.load() < lightest.load();
            lightest = isLighter && !each.isClosing ? each : lightest;
        }
        return lightest;
    }

    /** Has another loop serve a connection that was moved to one that has ended meanwhile. */
    void moveOn(int descriptor, byte[] unread) {
        for (ServerLoop each : loops) {
            if (each.reserve()) {
                each.expect();
                each.moveHere(descriptor, unread);
                return;
            }
        }
        Arena.dispose(descriptor);
        onTrouble(Trouble.CONNECTION, new IOException("a connection has lost its loop, and no other one has a place"
                + " for it, or the server is closed"), null);
    }

    /** Whether a loop has so many more connections than another that the next one is better served there. */
    boolean isHeavy(ServerLoop loop) {
        int least = lightest().load();
        return loop.load() > least + least / 16 + 1;
    }

    /** What all loops have counted together, by the number of each {@link Counter}. */
    public long[] counts() {
        long[] sums = new long[Counter.ALL];
        for (ServerLoop each : loops) {
            long[] counts = each.statistics().counts();
            Arrays.setAll(sums, i -> sums[i] + counts[i]);
        }
        return sums;
    }

    /** Loops that have not ended. */
    public long running() {
        return running.getCount();
    }

    public long openConnections() {
        return loops.stream().mapToLong(ServerLoop::open).sum();
    }

    /** Bytes of memory for what waits to be sent or read. */
    public long waiting() {
        return loops.stream().mapToLong(ServerLoop::waiting).sum();
    }

    void onTrouble(Trouble where, Throwable error, SocketAddress peer) {
        try {
            settings.onTrouble.onTrouble(where, error, peer);
        } catch (Throwable e) { // also checked ones, which not all languages declare
            Unexpected.caught("the program's handler of errors", e); // there is no other one to tell
        }
    }

    /** A loop has ended, and has left nothing; null: as it should. */
    void onLoopEnd(Throwable failure) {
        running.countDown();
        if (failure != null) {
            onTrouble(Trouble.LOOP, failure, null);
        }
    }

    /** What makes a new connection that was accepted secure; null without TLS. */
    TlsStream newTls() throws SSLException {
        return settings.engines == null ? null : new TlsStream(settings.engines.get(), buffers);
    }

    void executeTlsTask(Runnable task) {
        settings.tlsExecutor.execute(task);
    }

    void handOver(int descriptor, byte[] unread, TlsStream tls) {
        SocketChannel channel;
        try {
            channel = channelOf(descriptor);
        } catch (IOException | RuntimeException | Error e) {
            // An IOException: it was reset meanwhile, mostly.
            onTrouble(e instanceof IOException ? Trouble.CONNECTION : Trouble.SLOW_PATH, e, null);
            return;
        }
        try {
            SocketChannel plain = tls == null ? channel : new TlsChannel(channel, tls);
            byte[] rest = tls == null ? unread : decrypt(tls, unread);
            settings.executor.execute(() -> goOn(plain, rest));
        } catch (Throwable e) {
            abandon(channel, e);
        }
    }

    /** What was received of a secure connection, as far as it is complete. */
    private static byte[] decrypt(TlsStream tls, byte[] unread) throws SSLException {
        tls.receive(ByteBuffer.wrap(unread), tls.received().remaining());
        byte[] decrypted = new byte[tls.received().remaining()];
        tls.received().get(decrypted);
        tls.trim();
        return decrypted;
    }

    private void goOn(SocketChannel channel, byte[] unread) {
        try {
            settings.slowPath.handle(channel, ByteBuffer.wrap(unread));
        } catch (Throwable e) {
            abandon(channel, e);
        }
    }

    private void abandon(SocketChannel channel, Throwable error) {
        SocketAddress peer = peerOf(channel);
        try {
            channel.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
        onTrouble(Trouble.SLOW_PATH, error, peer);
    }

    /** The other side's address, as error handlers get it. */
    static SocketAddress peerOf(SocketChannel channel) {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress peer ? peer : null;
        } catch (IOException e) {
            return null; // it is closed already
        }
    }

    /** Ends them gracefully, or at the deadline; waits for that, but not in a handler. */
    public void close(long time, TimeUnit unit) throws InterruptedException {
        long deadline = System.nanoTime() + Math.min(unit.toNanos(time), Long.MAX_VALUE / 2);
        deleteFile();
        loops.forEach(loop -> loop.post(() -> loop.finish(deadline)));
        if (!threads.contains(Thread.currentThread())) {
            running.await();
        }
    }

    public boolean isOpen() {
        return running.getCount() > 0;
    }
}
