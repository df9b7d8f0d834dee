// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.poller.Batch;
import dev.pollux.internal.poller.Membership;
import dev.pollux.internal.poller.Multiplexer;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.Objects;

/**
 * Waits until some of many descriptors are ready, as poll(2) does, on the best mechanism of the system.
 *
 * <p>A {@link java.nio.channels.Selector} hides descriptors behind channels and keys; a Poller shows them. It watches whatever
 * has a descriptor: any {@link SelectableChannel} of the JDK, blocking ones too, a {@link java.net.Socket}, {@link
 * java.net.ServerSocket} or {@link java.net.DatagramSocket}, or a descriptor that is known by its number only, of a timerfd, an
 * inotify, a terminal or a pipe that another library has opened. Where a method takes a <em>source</em> it is one of these, or an
 * {@link Integer}, which is a number.
 *
 * <pre>{@code
 * // An echo server for many connections, with as many threads as may run.
 * try (Poller poller = new Poller(); ServerSocketChannel server = ServerSocketChannel.open()) {
 *     server.bind(new InetSocketAddress(7)).configureBlocking(false);
 *     poller.add(server, Poller.POLLIN, server);
 *     ThreadLocal<ByteBuffer> buffers = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(4096));
 *     Poller.Handler handler = (descriptor, events, attachment) -> {
 *         if (attachment == server) {
 *             SocketChannel accepted = server.accept();
 *             if (accepted != null) {
 *                 accepted.configureBlocking(false);
 *                 poller.add(accepted, Poller.POLLIN | Poller.ONESHOT, accepted);
 *             }
 *             return;
 *         }
 *         SocketChannel connection = (SocketChannel) attachment;
 *         ByteBuffer buffer = buffers.get().clear();
 *         int n = -1;
 *         try {
 *             n = connection.read(buffer);
 *             for (buffer.flip(); buffer.hasRemaining(); ) {
 *                 connection.write(buffer); // a real server would wait for POLLOUT instead of trying again
 *             }
 *         } catch (IOException e) {
 *             n = -1;                       // reset by the client: the other connections go on
 *         }
 *         if (n < 0) {
 *             poller.remove(connection);
 *             connection.close();
 *         } else {
 *             poller.enable(connection);    // the data was processed: one thread may have the next
 *         }
 *     };
 *     Runnable worker = () -> {
 *         try {
 *             while (true) {
 *                 poller.await(handler, -1);
 *             }
 *         } catch (ClosedPollerException e) {
 *             // the end
 *         } catch (IOException e) {
 *             e.printStackTrace();
 *         }
 *     };
 *     new Thread(worker).start();
 *     worker.run();
 * }
 * }</pre>
 *
 * <p><b>Events.</b> {@link #POLLIN}, {@link #POLLOUT}, {@link #POLLPRI} and {@link #POLLRDHUP} are asked for; {@link #POLLERR},
 * {@link #POLLHUP} and {@link #POLLNVAL} are reported unasked. To ask for 0 is to ask for these (in vain on a kqueue). A member is <em>level-triggered</em>:
 * it is reported by each await as long as it is ready. With {@link #ONESHOT} it is reported once and then disabled, until it
 * is enabled or modified; with {@link #EDGE} it is reported when it becomes ready (epoll and kqueue only). What is asked for,
 * whether it is disabled and the attachment are kept until the member is removed.
 *
 * <p><b>Threads.</b> Every method may be called by any thread at any time, from handlers too. A change never waits for a thread
 * that is in an await, and is in force within that same await: where the mechanism can't be changed while it waits (all but
 * epoll) the waiting thread is woken, makes the change, and goes on waiting. Several threads may be in an await: one of them is
 * in the mechanism, and hands what is ready to the others too. A level-triggered member may be given to several of
 * them, one-shot ones to exactly one. What a thread did before it called a method happens-before what a thread does after it has
 * returned from an await that the call ended or whose report it brought about.
 *
 * <p><b>Closed descriptors.</b> Remove a member, then close it. If it is closed first the system mostly forgets it without a
 * word. What is told, where: poll(2) reports {@link #POLLNVAL}; a change of a descriptor that was closed is refused with an
 * {@code IOException} (EBADF), on epoll also if its number was given to another one since (ENOENT); changes that another thread
 * makes while the mechanism waits and can't be changed are refused later, and reported as {@code POLLNVAL}. A member that is
 * reported with {@code POLLNVAL} is disabled by that. What can't be told: that a number known by nothing else was closed
 * and given out again before anything was changed; then poll(2) watches the new one, and the others mostly neither.
 * When a channel or socket is added whose number belonged to one that was closed without being removed, it takes that one's
 * place. A member whose open file lives on under another descriptor (dup(2)) is reported until it is removed.
 *
 * <p><b>Allocation.</b> None per await, once each platform thread has been in one (the JDK allocates when a virtual one parks); each member is an object of 40 bytes.
 *
 * <p>Sources: poll(2), epoll(7), kqueue(2), poll(7D).
 */
public final class Poller implements AutoCloseable {
    /** There is data to read, or a connection to accept, or the end of the stream. */
    public static final int POLLIN = PollSet.IN;

    /** There is urgent data, or another exceptional condition; poll(2) tells which. A kqueue reports it beside POLLIN only. */
    public static final int POLLPRI = PollSet.PRI;

    /** Writing would not block, or a connection was established or refused. */
    public static final int POLLOUT = PollSet.OUT;

    /** An error; of the writing end of a pipe: nobody reads any more. Reported unasked, by a kqueue beside POLLIN or POLLOUT only. */
    public static final int POLLERR = PollSet.ERR;

    /** The other side hung up; there may be data left to read. Reported unasked, but not by a kqueue. */
    public static final int POLLHUP = PollSet.HUP;

    /** The descriptor is not open, or the mechanism refuses to watch it. Reported unasked; disables the member. */
    public static final int POLLNVAL = PollSet.NVAL;

    /**
     * The other side of a stream socket will write no more. On Linux, illumos and Windows; a kqueue reports it beside POLLIN only.
     */
    public static final int POLLRDHUP = PollSet.RDHUP;

    /** Asked for beside events: report the member once, to one thread, and disable it by that. On every mechanism. */
    public static final int ONESHOT = PollSet.ONESHOT;

    /** Asked for beside events: report the member when it becomes ready, not as long as it is. On epoll and kqueue. */
    public static final int EDGE = PollSet.EDGE;

    private static final int KNOWN =
            POLLIN | POLLPRI | POLLOUT | POLLERR | POLLHUP | POLLNVAL | POLLRDHUP | ONESHOT | EDGE;

    private final Multiplexer multiplexer;
    private final Membership members;
    private final int capacity;
    private final ThreadLocal<ReadyEntries> entries;

    /** Is told what is ready. */
    @FunctionalInterface
    public interface Handler {
        /**
         * A member is ready. May do anything with the Poller, also close it.
         *
         * @param descriptor the member's descriptor
         * @param events     what is reported: {@link Poller#POLLIN} and so on
         * @param attachment what was added with the member
         * @throws IOException passed on to the caller of await; so is any other exception
         */
        void ready(int descriptor, int events, Object attachment) throws IOException;
    }

    /** A member that is ready; valid until the thread that was given it calls an await of the same Poller again, or it is closed. */
    public interface Ready {
        /** {@return the member's descriptor} */
        int descriptor();

        /** {@return what is reported: {@link Poller#POLLIN} and so on} */
        int events();

        /** {@return what was added with the member} */
        Object attachment();
    }

    /**
     * Opens a Poller on the best mechanism of this platform, for any number of members.
     *
     * @throws IOException if Pollux can't work here, or a limit of descriptors or memory is reached; the message says what to do
     */
    public Poller() throws IOException {
        this(null, Integer.MAX_VALUE);
    }

    private Poller(String mechanism, int capacity) throws IOException {
        if (capacity < 1) {
            throw new IllegalArgumentException("a capacity is at least 1: " + capacity);
        }
        Startup.outcome().require(mechanism);
        this.capacity = capacity;
        Startup.initialize(Multiplexer.initialized());
        multiplexer = Privileged.run(() -> Multiplexer.open(mechanism, capacity, ClosedPollerException::new));
        members = multiplexer.membership();
        entries = ThreadLocal.withInitial(() -> new ReadyEntries(multiplexer));
    }

    /**
     * Opens a Poller.
     *
     * @param mechanism {@code epoll}, {@code kqueue}, {@code /dev/poll}, {@code wepoll} or {@code poll}; null for the best one
     * @param capacity  how many members it may have
     * @return the Poller
     * @throws IOException if there is no such mechanism here, Pollux can't work here, or a limit of descriptors or memory is reached;
     *     the message says what to do
     */
    public static Poller open(String mechanism, int capacity) throws IOException {
        return new Poller(mechanism, capacity);
    }

    /** {@return the mechanism that really runs: {@code poll} where {@code /dev/poll} was asked for and there is no such device} */
    public String mechanism() {
        return multiplexer.mechanism();
    }

    /** {@return how many members there may be} */
    public int capacity() {
        return capacity;
    }

    /**
     * Tells whether {@link #add} takes some events.
     *
     * @param events the events
     * @return false if there is an unknown one among them, or {@link #EDGE} and the mechanism has none
     */
    public boolean supports(int events) {
        return (events & ~KNOWN) == 0 && ((events & EDGE) == 0 || multiplexer.knowsEdges());
    }

    /**
     * As {@link #add(Object, int, Object)} with null as the attachment.
     *
     * @param source what to watch
     * @param events what for
     * @return its descriptor
     * @throws IOException if it is closed or the system refuses it
     */
    public int add(Object source, int events) throws IOException {
        return add(source, events, null);
    }

    /**
     * Adds a member.
     *
     * @param source     what to watch: a {@link SelectableChannel}, {@link java.net.Socket}, {@link java.net.ServerSocket}, {@link
     *     java.net.DatagramSocket} or an {@link Integer}
     * @param events     what for
     * @param attachment given to handlers; may be null
     * @return its descriptor, by which the member is known too
     * @throws IllegalArgumentException if the source is something else, an {@link javax.net.ssl.SSLSocket} (what it has deciphered
     *     already waits in its buffer, and no descriptor tells), or a channel that the JDK did not make; or if there is no such event
     * @throws UnsupportedOperationException if the mechanism has no {@link #EDGE}
     * @throws IllegalStateException if it is a member already, or the capacity is used up
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if it is closed, not yet connected or bound, or the system refuses it: a regular file (EPERM), not a
     *     descriptor (EBADF), too many watched by this user (ENOSPC); the message says which call refused what
     */
    public int add(Object source, int events, Object attachment) throws IOException {
        Object canonical = canonical(source);
        requireKnown(events);
        int descriptor = descriptor(source, canonical);
        members.add(descriptor, canonical, events, attachment);
        return descriptor;
    }

    /**
     * As {@link #add(int, int, Object)} with null as the attachment.
     *
     * @param descriptor what to watch
     * @param events     what for
     * @return the descriptor
     * @throws IOException if the system refuses it
     */
    public int add(int descriptor, int events) throws IOException {
        return add(descriptor, events, null);
    }

    /**
     * Adds a descriptor that is known by its number; otherwise as {@link #add(Object, int, Object)}.
     *
     * @param descriptor what to watch; on Windows a SOCKET
     * @param events     what for
     * @param attachment given to handlers; may be null
     * @return the descriptor
     * @throws IOException if the system refuses it
     */
    public int add(int descriptor, int events, Object attachment) throws IOException {
        requireKnown(events);
        members.add(descriptor, null, events, attachment);
        return descriptor;
    }

    /**
     * Changes what a member is watched for, and enables it.
     *
     * @param source the member
     * @param events what for
     * @throws java.util.NoSuchElementException if it is no member
     * @throws UnsupportedOperationException if the mechanism has no {@link #EDGE}
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if it is closed, or the system refuses; what was asked for before stays
     */
    public void modify(Object source, int events) throws IOException {
        Object canonical = canonical(source);
        requireKnown(events);
        members.modify(descriptor(source, canonical), canonical, events);
    }

    /**
     * As {@link #modify(Object, int)}.
     *
     * @param descriptor the member
     * @param events     what for
     * @throws IOException if the system refuses
     */
    public void modify(int descriptor, int events) throws IOException {
        requireKnown(events);
        members.modify(descriptor, null, events);
    }

    /**
     * Removes a member. It is not reported any more when this returns, and may be closed; but a thread that was given it before may still
     * be at it. Members that were closed can be removed, as what they were added as.
     *
     * @param source the member
     * @throws java.util.NoSuchElementException if it is no member
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if the system refuses; it is no member all the same
     */
    public void remove(Object source) throws IOException {
        Object canonical = canonical(source);
        members.remove(descriptorOrNone(source, canonical), canonical);
    }

    /**
     * As {@link #remove(Object)}.
     *
     * @param descriptor the member
     * @throws IOException if the system refuses; it is no member all the same
     */
    public void remove(int descriptor) throws IOException {
        members.remove(descriptor, null);
    }

    /**
     * Tells whether something is a member, enabled or not.
     *
     * @param source what to look for
     * @return whether it was added, and not removed since
     * @throws ClosedPollerException if this Poller is closed
     */
    public boolean isMember(Object source) {
        Object canonical = canonical(source);
        return members.isMember(descriptorOrNone(source, canonical), canonical);
    }

    /**
     * As {@link #isMember(Object)}.
     *
     * @param descriptor what to look for
     * @return whether it was added, and not removed since
     */
    public boolean isMember(int descriptor) {
        return members.isMember(descriptor, null);
    }

    /**
     * Stops watching a member, which keeps its place, events and attachment. A handler is
     * not called any more for what was reported of it, unless another thread is about to.
     *
     * @param source the member
     * @throws java.util.NoSuchElementException if it is no member
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if the system refuses; it is disabled all the same
     */
    public void disable(Object source) throws IOException {
        Object canonical = canonical(source);
        members.disable(descriptorOrNone(source, canonical), canonical);
    }

    /**
     * As {@link #disable(Object)}.
     *
     * @param descriptor the member
     * @throws IOException if the system refuses
     */
    public void disable(int descriptor) throws IOException {
        members.disable(descriptor, null);
    }

    /**
     * Watches a member again that was disabled, or reported and asked for with {@link #ONESHOT}. If it is ready now it is reported,
     * an {@link #EDGE} too. Nothing happens if it is not disabled.
     *
     * @param source the member
     * @throws java.util.NoSuchElementException if it is no member
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if it is closed, or the system refuses
     */
    public void enable(Object source) throws IOException {
        Object canonical = canonical(source);
        members.enable(descriptor(source, canonical), canonical);
    }

    /**
     * As {@link #enable(Object)}.
     *
     * @param descriptor the member
     * @throws IOException if the system refuses
     */
    public void enable(int descriptor) throws IOException {
        members.enable(descriptor, null);
    }

    /**
     * {@return the number of members}
     *
     * @throws ClosedPollerException if this Poller is closed
     */
    public int size() {
        return members.size();
    }

    /**
     * Waits until members are ready, and writes them into arrays. What does not fit is reported by the next await, as it was found
     * by this one.
     *
     * @param descriptors receives the descriptors
     * @param events      receives what is reported of each
     * @param nanos       how many nanoseconds to wait: negative for ever, 0 not at all, else at least that long, whatever signals come
     * @return how many were written; 0 if the time was over, there was a {@link #wakeup}, this thread is interrupted,
     *     or other threads have changed just then what was ready
     * @throws IllegalArgumentException if an array has no room
     * @throws ClosedPollerException if this Poller is closed, or is while this thread waits
     * @throws IOException if the system can't wait; the message says which call failed
     */
    public int await(int[] descriptors, short[] events, long nanos) throws IOException {
        int most = Math.min(descriptors.length, events.length);
        if (most == 0) {
            throw new IllegalArgumentException("an array without room");
        }
        Batch batch = entries.get().begin();
        multiplexer.await(batch, most, nanos);
        int n = 0;
        while (batch.next()) {
            descriptors[n] = batch.descriptor();
            events[n++] = (short) batch.events();
        }
        batch.clear();
        return n;
    }

    /**
     * Waits until members are ready, and calls a handler for each, except for those which it has removed, disabled or modified by
     * then. If it throws, those that it was not called for will be reported again, and the exception is passed on. It is not called
     * any more when this Poller was closed.
     *
     * @param handler what to call
     * @param nanos   how many nanoseconds to wait: negative for ever, 0 not at all, else at least that long, whatever signals come
     * @return how many times it was called; 0 if the time was over, there was a {@link #wakeup}, this thread is interrupted, or other
     *     threads have changed just then what was ready
     * @throws ClosedPollerException if this Poller is closed, or is while this thread waits
     * @throws IOException if the handler throws it, or the system can't wait; then the message says which call failed
     */
    public int await(Handler handler, long nanos) throws IOException {
        Objects.requireNonNull(handler);
        Batch batch = entries.get().begin();
        multiplexer.await(batch, nanos);
        int n = 0;
        try {
            do {
                n += handle(batch, handler);
            } while (multiplexer.refill(batch));
        } finally {
            multiplexer.giveBack(batch);
        }
        return n;
    }

    /**
     * Waits until members are ready. Those that are removed, disabled or modified before the iteration comes to them are passed over;
     * those that it has not come to when this thread calls an await again are reported again, so a thread must not stop in between
     * and never call one again.
     *
     * @param nanos how many nanoseconds to wait: negative for ever, 0 not at all, else at least that long, whatever signals come
     * @return the members that are ready, for one iteration by this thread and until its next await; none if the time was over, there
     *     was a {@link #wakeup}, this thread is interrupted, or other threads have changed just then what was ready
     * @throws ClosedPollerException if this Poller is closed, or is while this thread waits
     * @throws IOException if the system can't wait; the message says which call failed
     */
    public Iterable<Ready> await(long nanos) throws IOException {
        ReadyEntries ready = entries.get();
        multiplexer.await(ready.begin(), nanos);
        return ready;
    }

    private int handle(Batch batch, Handler handler) throws IOException {
        int n = 0;
        while (batch.next()) {
            handler.ready(batch.descriptor(), batch.events(), batch.attachment());
            n++;
            if (!isOpen()) {
                throw new ClosedPollerException();
            }
        }
        return n;
    }

    /**
     * Ends one await: one that is in progress, or else the next, which then returns with nothing unless there is something ready.
     * Several calls before that are as one. Without effect on a closed Poller.
     */
    public void wakeup() {
        multiplexer.wakeup();
    }

    /** {@return whether this Poller is open} */
    public boolean isOpen() {
        return multiplexer.isOpen();
    }

    /**
     * Closes this Poller: every await in progress throws {@link ClosedPollerException}. The members' descriptors stay open. Closing
     * again has no effect.
     */
    @Override
    public void close() {
        multiplexer.close();
        entries.remove();
    }

    /** Tells the mechanism and the number of members. */
    @Override
    public String toString() {
        return multiplexer.toString();
    }

    private void requireKnown(int events) {
        if ((events & ~KNOWN) != 0) {
            throw new IllegalArgumentException("unknown events: 0x" + Integer.toHexString(events & ~KNOWN));
        }
        if (!supports(events)) {
            throw new UnsupportedOperationException(mechanism() + " has no edge-triggered events");
        }
    }

    /** {@link Descriptors#canonical What stands for a source}; null for a number. */
    private static Object canonical(Object source) {
        return source instanceof Integer ? null : Descriptors.canonical(source);
    }

    private static int descriptor(Object source, Object canonical) throws IOException {
        return source instanceof Integer number ? number : Descriptors.of(canonical);
    }

    private static int descriptorOrNone(Object source, Object canonical) {
        return source instanceof Integer number ? number : Descriptors.ofOpen(canonical);
    }
}
