// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.poller.Awaiter;
import dev.pollux.internal.poller.MemberChanges;
import dev.pollux.internal.poller.MemberState;
import dev.pollux.internal.poller.Multiplexer;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.startup.Startup;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SelectableChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Waits until some of many descriptors are ready, as poll(2) does, on the best mechanism of the system.
 *
 * <p>A {@link java.nio.channels.Selector} hides descriptors behind channels and keys; a Poller shows them. It watches
 * whatever has a descriptor: any {@link SelectableChannel} of the JDK, blocking ones too, a {@link Socket}, {@link
 * ServerSocket} or {@link DatagramSocket}, a {@link FileDescriptor}, or a descriptor that is known by its number only,
 * of a timerfd, an inotify, a terminal or a pipe that another library has opened. The page "The Poller" of the
 * documentation has examples, and a server for many threads.
 *
 * <p><b>Events.</b> {@link #POLLIN}, {@link #POLLOUT}, {@link #POLLPRI} and {@link #POLLRDHUP} are asked for; {@link
 * #POLLERR}, {@link #POLLHUP} and {@link #POLLNVAL} are reported unasked. To ask for 0 is to ask for these. They may
 * stand beside others, as with poll(2); alone they are refused, as a mistake: the constants of {@link
 * java.nio.channels.SelectionKey} are no events, but OP_ACCEPT has POLLHUP's value, and OP_CONNECT POLLERR's. Ask for
 * POLLIN to accept, and for POLLOUT to connect; OP_READ and OP_WRITE are POLLIN and POLLOUT.
 *
 * <p>A member is <em>level-triggered</em>: each await reports it as long as it is ready. With {@link #ONESHOT} it is
 * reported once and then disabled, until it is enabled or modified; with {@link #EDGE} it is reported when it becomes
 * ready. What is asked for, whether it is disabled and the attachment are kept until the member is removed.
 *
 * <p><b>Mechanisms.</b> A kqueue has no POLLPRI and no POLLHUP; it reports POLLRDHUP beside POLLIN, and POLLERR beside
 * POLLIN or POLLOUT. /dev/poll has POLLRDHUP on illumos, poll(2) on Linux, illumos and FreeBSD. EDGE is for epoll and
 * kqueue. A change while a thread waits is made by the caller on epoll, elsewhere by the thread that waits, which is
 * woken for it. A closed descriptor is silent, but POLLNVAL on /dev/poll and poll(2). To enable or modify one is
 * refused by epoll, leads to POLLNVAL on poll(2), and to one of the two elsewhere. A regular file is refused by epoll
 * (EPERM) and wepoll, readable up to its end on a kqueue, and always ready on /dev/poll and poll(2).
 *
 * <p><b>Several threads.</b> Every method may be called by any thread at any time, from handlers too. Several threads
 * may be in an await: one of them waits in the mechanism, and what it finds is handed out one member at a time, to
 * the next thread that comes. So a slow handler delays no other member, as long as there is another thread in an
 * await, and handlers may wait for each other if there are as many threads. A change never waits for a thread that is
 * in an await, and is in force within that same await.
 *
 * <p>Where several threads are in an await, ask for {@link #ONESHOT}: such a member is given to exactly one thread,
 * which enables it when it has dealt with it. A level-triggered one is given to the next thread too while the first has
 * not read yet. That thread finds nothing to read; on a blocking descriptor it would even block, and keep the member's
 * data from the thread that should have them. So blocking descriptors and level-triggered members don't go together
 * with several threads. To {@linkplain Member#modify modify} a ONESHOT member enables it, by another thread too: that
 * is for the thread that has it. {@link Member#events(int)} is for the others: it takes effect once the member is
 * enabled.
 *
 * <p>What a thread did before it called a method happens-before what a thread does after it has returned from an await
 * that the call ended or whose report it brought about.
 *
 * <p><b>Closed descriptors.</b> {@linkplain Member#remove() Remove} a member, then close it. If it is closed first the
 * system mostly forgets it without a word; the member stays until it is removed. A channel, socket or FileDescriptor is
 * known to be closed: if anything is reported under its number, that is {@link #POLLNVAL}, and disables the member.
 * When another one is added that has its number now, it takes its place. If a member was added as a number, it is
 * unknown whose number that is now: poll(2) and /dev/poll then report the events of its new owner, and a kqueue does
 * once the member is enabled or modified. {@link Member#refusal()} tells why a member is reported with POLLNVAL.
 *
 * <p><b>Unconnected and unbound.</b> A channel has a descriptor from the start, and can be added before it is connected
 * or bound. Linux reports POLLHUP of a stream socket that is neither connected nor listens, whatever is asked for, and
 * POLLOUT beside it if that is; so add a SocketChannel after its {@code connect}, for POLLOUT, and a
 * ServerSocketChannel after its {@code bind}. A Socket or ServerSocket has no descriptor before, and is refused. So is
 * one whose class passes everything on to another socket: add that one.
 *
 * <p><b>Buffers.</b> A descriptor tells what the system has, not what a program has read ahead. A program that reads
 * {@code System.in} or another buffering stream reads until {@code available()} is 0. An SSLSocket is refused for that
 * reason.
 *
 * <p><b>Allocation.</b> None per await, once each platform thread has been in one (the JDK allocates when a virtual one
 * parks). Each member is two objects, of 72 bytes together (in a 64-bit VM with compressed references).
 */
public final class Poller implements AutoCloseable {
    /** There is data to read, or a connection to accept, or the end of the stream. */
    public static final int POLLIN = PollSet.IN;

    /** There is out-of-band data, or another exceptional condition; poll(2) tells which. */
    public static final int POLLPRI = PollSet.PRI;

    /** Writing would not block, or a connection was established or refused. */
    public static final int POLLOUT = PollSet.OUT;

    /** An error; of the writing end of a pipe: it has no reader any more. Reported unasked. */
    public static final int POLLERR = PollSet.ERR;

    /**
     * The other side hung up; there may be data left to read. Reported unasked. Linux reports the end of a pipe as
     * POLLHUP alone, without {@link #POLLIN}: read then too, and remove the member at the end.
     */
    public static final int POLLHUP = PollSet.HUP;

    /**
     * The descriptor is not open, or the system refuses to watch it: {@link Member#refusal()} tells why. Reported
     * unasked; disables the member.
     */
    public static final int POLLNVAL = PollSet.NVAL;

    /**
     * The other side of a stream socket will write no more. Its value is {@value} on every system, not that of the
     * system's {@code poll.h} (0x2000 on Linux); the constants above have the values they have there.
     */
    public static final int POLLRDHUP = PollSet.RDHUP;

    /** Asked for beside events: report the member once, to one thread, and disable it by that. On every mechanism. */
    public static final int ONESHOT = PollSet.ONESHOT;

    /** Asked for beside events: report the member when it becomes ready, not as long as it is. On epoll and kqueue. */
    public static final int EDGE = PollSet.EDGE;

    /** As a timeout, in any unit: until something is ready, a {@link #wakeup}, an interrupt, or the Poller's end. */
    public static final long FOREVER = Long.MAX_VALUE;

    private static final int ASKED = POLLIN | POLLPRI | POLLOUT | POLLRDHUP;
    private static final int UNASKED = POLLERR | POLLHUP | POLLNVAL;
    private static final int KNOWN = ASKED | UNASKED | ONESHOT | EDGE;

    private final Multiplexer multiplexer;
    private final MemberChanges changes;
    private final int capacity;
    private final ThreadLocal<ReadyEntries> entries;

    /** Is told what is ready. */
    @FunctionalInterface
    public interface Handler {
        /**
         * A member is ready. May do anything with the Poller, also close it. May call an await of the same Poller too:
         * that one reports what is ready then, and what it leaves is reported to the await around it or a later one.
         *
         * @param member the member
         * @param events what is reported: {@link Poller#POLLIN} and so on
         * @throws IOException passed on to the caller of await; so is any other exception
         */
        void ready(Member member, int events) throws IOException;
    }

    /** A member that is ready; valid until the thread that was given it calls an await of the same Poller again. */
    public interface Ready {
        /**
         * {@return the member} If another thread has removed it meanwhile, what is returned is equal to it but has no
         * attachment: a thread's last iteration keeps nothing alive that was removed.
         *
         * @throws ClosedPollerException if another thread has closed the Poller meanwhile
         */
        Member member();

        /** {@return what is reported: {@link Poller#POLLIN} and so on} */
        int events();
    }

    /**
     * A descriptor that a Poller watches: what {@link Poller#add(SelectableChannel, int, Object) add} returns, and
     * handlers are given. An interface, so that a test of a handler can have members of its own.
     *
     * <p>Safe for use by many threads. No allocation, unless the system refuses something. To change, enable or disable
     * one that was removed throws an {@link IllegalStateException}, one of a closed Poller a {@link
     * ClosedPollerException}.
     */
    public interface Member {
        /** {@return the descriptor; on Windows the SOCKET} */
        int descriptor();

        /** {@return what it was last asked to be watched for, whether it is disabled or not} */
        int events();

        /** {@return what was attached last; may be null} */
        Object attachment();

        /**
         * Attaches something else.
         *
         * @param other what to attach; may be null
         * @return what was attached before
         */
        Object attach(Object other);

        /**
         * Changes what it is watched for. A disabled member stays disabled, and is watched for that once it is enabled.
         * So while a thread has a {@link #ONESHOT} member, any thread may change it, and no second one is given it. One
         * that is not disabled is watched for that from now on, and what is ready now is reported, with {@link #EDGE}
         * too.
         *
         * @param events what for
         * @throws IllegalArgumentException if there is no such event
         * @throws UnsupportedOperationException if the mechanism has no {@link #EDGE}
         * @throws IOException if it is closed, or the system refuses; what was asked for before stays
         */
        void events(int events) throws IOException;

        /**
         * Changes what it is watched for, and enables it. What is ready now is reported, with {@link #EDGE} too. That
         * also holds while a thread still has a {@link #ONESHOT} member: then a second thread may be given it. If that
         * is not meant, call {@link #events(int)}, which throws the same exceptions.
         *
         * @param events what for
         * @throws IOException if it is closed, or the system refuses; what was asked for before stays
         */
        void modify(int events) throws IOException;

        /**
         * Stops watching it. It keeps its place, events and attachment. What has been reported of it before is not
         * handed out any more, unless a thread has begun with it.
         *
         * @throws IOException if the system refuses; it is disabled all the same
         */
        void disable() throws IOException;

        /**
         * Watches it again after it was disabled, or reported and asked for with {@link #ONESHOT}. If it is ready now
         * it is reported, with {@link #EDGE} too. Nothing happens if it is not disabled.
         *
         * @throws IOException if it is closed, or the system refuses
         */
        void enable() throws IOException;

        /**
         * Removes it from the Poller. It is not reported any more when this returns, and may be closed; but a thread
         * that was given it before may still be at it. Nothing happens if it was removed before, or the Poller
         * was closed: so code that closes a connection in the end need not know which came first.
         *
         * @throws IOException if the system refuses; it is no member all the same
         */
        void remove() throws IOException;

        /** {@return whether this is still a member: it was not removed, and the Poller was not closed} */
        boolean isValid();

        /**
         * {@return why it was last reported with {@link #POLLNVAL}: what the system refused, or that it was closed;
         * null if it was not, or has been watched since} Each call makes a new exception, for the caller
         * to throw or to log.
         */
        IOException refusal();

        /** Whether another object stands for the same addition: {@link Ready#member()} says when there are several. */
        @Override
        boolean equals(Object other);

        @Override
        int hashCode();
    }

    /**
     * Opens a Poller on the best mechanism of this platform, for any number of members.
     *
     * @throws IOException if Pollux can't work here, or a limit of descriptors or memory is reached; the message says
     *     what to do
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
        loadClasses();
        multiplexer = Privileged.run(() -> Multiplexer.open(mechanism, capacity, ClosedPollerException::new));
        changes = multiplexer.changes();
        entries = ThreadLocal.withInitial(() -> new ReadyEntries(multiplexer));
    }

    /**
     * Has the classes that later calls need loaded and initialised. A class that is first needed when no file can be
     * opened would be lost for ever to the one that needs it.
     */
    private static void loadClasses() {
        Room.initialize(Multiplexer.usedLater());
        Room.initialize(Descriptors.usedLater());
        Room.initialize(List.of(PollerMember.class, Handler.class, Ready.class, ReadyEntries.class,
                ReadyEntries.Entry.class, ReadyEntries.Iteration.class, ClosedPollerException.class));
    }

    /**
     * Opens a Poller.
     *
     * @param mechanism {@code epoll}, {@code kqueue}, {@code /dev/poll}, {@code wepoll} or {@code poll}; null for the
     *     best one
     * @param capacity  how many members it may have
     * @return the Poller
     * @throws IOException if there is no such mechanism here, Pollux can't work here, or a limit of descriptors or
     *     memory is reached; the message says what to do
     */
    public static Poller open(String mechanism, int capacity) throws IOException {
        return new Poller(mechanism, capacity);
    }

    /** {@return the mechanism that really runs: {@code poll} where {@code /dev/poll} was asked for and is not there} */
    public String mechanism() {
        return multiplexer.mechanism();
    }

    /** {@return how many members there may be} */
    public int capacity() {
        return capacity;
    }

    /**
     * Tells whether members can be watched for some events.
     *
     * @param events the events
     * @return false if there is an unknown one among them, or none but those that are reported unasked, or {@link
     *     #EDGE} and the mechanism has none
     */
    public boolean supports(int events) {
        return supports(events, multiplexer);
    }

    private static boolean supports(int events, Multiplexer multiplexer) {
        return (events & ~KNOWN) == 0 && !isMistaken(events) && ((events & EDGE) == 0 || multiplexer.supportsEdge());
    }

    /** Asks for something, but for nothing that must be asked for: that is how OP_ACCEPT and OP_CONNECT look. */
    private static boolean isMistaken(int events) {
        return (events & UNASKED) != 0 && (events & ASKED) == 0;
    }

    /**
     * A descriptor of the Poller itself, by which it can be watched by something else: another Poller, or any loop that
     * knows poll(2) or the like. It is readable when an await may find something, so a loop that sees that calls an
     * await with a timeout of 0, which may find nothing. It stays the same until the Poller is closed, which closes it.
     * Do not close it, and do not read from it. It costs two system calls, once, and on epoll a descriptor. Linux
     * limits how deep epolls nest: a Poller that watches one that watches a third has none (ELOOP).
     *
     * @return the descriptor, -1 if the mechanism has none (all but epoll and kqueue)
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if a limit of descriptors, memory or nesting is reached; this Poller works on without one
     */
    public int descriptor() throws IOException {
        return Privileged.run(multiplexer::descriptor);
    }

    /**
     * Adds a channel; it may be blocking, and registered with selectors.
     *
     * @param channel    what to watch; not closed
     * @param events     what for
     * @param attachment for the handler's use; may be null
     * @return the member
     * @throws IllegalArgumentException if the JDK did not make the channel, or there is no such event
     * @throws UnsupportedOperationException if the mechanism has no {@link #EDGE}
     * @throws IllegalStateException if it is a member already, or the capacity is used up
     * @throws ClosedPollerException if this Poller is closed
     * @throws IOException if the channel is closed, or the system refuses to watch it; the message says which call
     *     refused what, and what to do
     */
    public Member add(SelectableChannel channel, int events, Object attachment) throws IOException {
        return add((Object) channel, events, attachment);
    }

    /**
     * As {@link #add(SelectableChannel, int, Object)} with null as the attachment.
     *
     * @param channel what to watch
     * @param events  what for
     * @return the member
     * @throws IOException if the channel is closed, or the system refuses to watch it
     */
    public Member add(SelectableChannel channel, int events) throws IOException {
        return add((Object) channel, events, null);
    }

    /**
     * Adds whatever has a descriptor: a {@link Socket}, {@link ServerSocket} or {@link DatagramSocket}; a {@link
     * FileDescriptor}, as streams and random access files have one; or a descriptor that is known by its number, on
     * Windows a SOCKET: {@code add(fd, Poller.POLLIN, "timer")}. Otherwise as {@link #add(SelectableChannel, int,
     * Object)}.
     *
     * @param source     what to watch; a number is an Integer
     * @param events     what for
     * @param attachment for the handler's use; may be null
     * @return the member
     * @throws IllegalArgumentException if there is no such event, the number is negative, or the source is none of
     *     these, is not of the JDK's making, or is an {@link javax.net.ssl.SSLSocket}: what it has deciphered already
     *     waits in its buffer, and no descriptor tells
     * @throws IOException if it is closed, a socket that is neither connected nor bound, a number that is not open
     *     (EBADF), or the system refuses to watch it: a regular file on epoll (EPERM), too many watched by this user
     *     (ENOSPC)
     */
    public Member add(Object source, int events, Object attachment) throws IOException {
        boolean isNumber = source instanceof Integer;
        Object canonical = isNumber ? null : Descriptors.canonical(source);
        requireKnown(events, multiplexer);
        MemberState state = new MemberState(isNumber ? (Integer) source : Descriptors.of(canonical), canonical, events);
        Member member = new PollerMember(multiplexer, state, attachment);
        state.setHandle(member);
        changes.add(state);
        return member;
    }

    /**
     * As {@link #add(Object, int, Object)} with null as the attachment.
     *
     * @param source what to watch
     * @param events what for
     * @return the member
     * @throws IOException if it is closed, or the system refuses to watch it
     */
    public Member add(Object source, int events) throws IOException {
        return add(source, events, null);
    }

    /**
     * Finds a member by its descriptor.
     *
     * @param descriptor the descriptor
     * @return the member; null if there is none
     * @throws ClosedPollerException if this Poller is closed
     */
    public Member find(int descriptor) {
        return (Member) changes.find(descriptor);
    }

    /**
     * Finds a member by what was added, also if that has been closed since: then all members are looked through.
     *
     * @param source a channel, socket or FileDescriptor, or an Integer: a descriptor
     * @return the member; null if there is none
     * @throws IllegalArgumentException if it is nothing that can be a member
     * @throws ClosedPollerException if this Poller is closed
     */
    public Member find(Object source) {
        return source instanceof Integer number ? find(number.intValue())
                : (Member) changes.find(Descriptors.canonical(source));
    }

    /**
     * Tells whether a descriptor is a member's, enabled or not.
     *
     * @param descriptor what to look for
     * @return whether it was added, and not removed since
     * @throws ClosedPollerException if this Poller is closed
     */
    public boolean isMember(int descriptor) {
        return find(descriptor) != null;
    }

    /**
     * Tells whether something is a member, enabled or not; as {@link #find(Object)}.
     *
     * @param source what to look for
     * @return whether it was added, and not removed since
     */
    public boolean isMember(Object source) {
        return find(source) != null;
    }

    /**
     * {@return the number of members}
     *
     * @throws ClosedPollerException if this Poller is closed
     */
    public int size() {
        return changes.size();
    }

    /**
     * Waits until members are ready, and calls a handler for each of those that are found ready at once, as far as no
     * other thread takes them. If the handler throws, the exception is passed on; the others will be reported again. It
     * is not called any more when this Poller was closed.
     *
     * @param handler what to call
     * @param timeout how long to wait at least, whatever signals come; zero or less: not at all; {@link #FOREVER}, or
     *     what is more nanoseconds than a long can count: for ever
     * @param unit    what the timeout is counted in
     * @return how many times it was called; 0 if the time was over, there was a {@link #wakeup}, this thread is
     *     interrupted, or other threads have changed just then what was ready
     * @throws ClosedPollerException if this Poller is closed, or is while this thread waits
     * @throws IOException if the handler throws it, or the system can't wait; then the message says which call failed
     */
    public int await(Handler handler, long timeout, TimeUnit unit) throws IOException {
        Objects.requireNonNull(handler);
        Awaiter awaiter = entries.get().begin();
        int n = 0;
        boolean ready = multiplexer.await(awaiter, nanos(timeout, unit));
        long round = awaiter.round();
        for (; ready; ready = multiplexer.next(awaiter, round)) {
            int events = awaiter.events();
            Object member = awaiter.begin().handle();
            if (member != null) { // else another thread has removed it just now
                n++;
                handler.ready((Member) member, events);
            }
            multiplexer.requireOpen();
        }
        return n;
    }

    /**
     * As {@link #await(Handler, long, TimeUnit)}, for ever.
     *
     * @param handler what to call
     * @return how many times it was called
     * @throws IOException if the handler throws it, or the system can't wait; then the message says which call failed
     */
    public int await(Handler handler) throws IOException {
        return await(handler, FOREVER, TimeUnit.NANOSECONDS);
    }

    /**
     * Waits until members are ready. The iteration takes one at a time of those that are found ready at once, as far as
     * no other thread takes them. What it has not come to is left to the next await, of this thread or another one.
     * After {@code hasNext} has returned true, {@code next} returns a member, though another thread may have changed or
     * removed it meanwhile. That member, and the first one from the start, is this thread's until its next await: no
     * other thread is given it. So await only what you then iterate.
     *
     * @param timeout how long to wait; this and exceptions are as for {@link #await(Handler, long, TimeUnit)}
     * @param unit    what the timeout is counted in
     * @return the members that are ready, for one iteration by this thread and until its next await; none for the same
     *     reasons as there. The iteration throws {@link ClosedPollerException} when this Poller was closed.
     * @throws IOException if the system can't wait; the message says which call failed
     */
    public Iterable<Ready> await(long timeout, TimeUnit unit) throws IOException {
        return entries.get().await(nanos(timeout, unit));
    }

    /**
     * Waits until members are ready, and writes them into arrays, as many as both have room for. The others are
     * reported by the next await, as they were found by this one.
     *
     * @param descriptors receives the descriptors
     * @param events      receives what is reported of each
     * @param timeout     how long to wait; this and exceptions are as for {@link #await(Handler, long, TimeUnit)}
     * @param unit        what the timeout is counted in
     * @return how many were written; 0 for the same reasons as there
     * @throws IllegalArgumentException if an array has no room at all
     * @throws IOException if the system can't wait; the message says which call failed
     */
    public int await(int[] descriptors, short[] events, long timeout, TimeUnit unit) throws IOException {
        if (descriptors.length == 0 || events.length == 0) {
            throw new IllegalArgumentException("an array without room for one member");
        }
        return multiplexer.await(entries.get().begin(), descriptors, events, nanos(timeout, unit));
    }

    /** As the multiplexer has it: negative for ever. */
    private static long nanos(long timeout, TimeUnit unit) {
        long nanos = unit.toNanos(timeout); // as many as a long can count, if there are more
        return nanos == FOREVER ? -1 : Math.max(nanos, 0);
    }

    /**
     * Ends one await: one that is in progress, or else the next, which then returns with nothing unless there is
     * something ready. Several calls before that are as one. Without effect on a closed Poller. To end every await for
     * good, {@link #close}; to end each once, have each thread that returns call wakeup for the next.
     */
    public void wakeup() {
        multiplexer.wakeup();
    }

    /** {@return whether this Poller is open} */
    public boolean isOpen() {
        return multiplexer.isOpen();
    }

    /**
     * Closes this Poller: every await in progress throws {@link ClosedPollerException}. The members' descriptors stay
     * open. Closing again has no effect.
     */
    @Override
    public void close() {
        entries.get().keepAll();
        multiplexer.close();
        entries.remove();
    }

    /** Tells the mechanism and the number of members. */
    @Override
    public String toString() {
        return multiplexer.toString();
    }

    static void requireKnown(int events, Multiplexer multiplexer) {
        if ((events & ~KNOWN) != 0) {
            throw new IllegalArgumentException("unknown events: 0x" + Integer.toHexString(events & ~KNOWN)
                    + "; those of a Poller are " + ReadyEntries.names(KNOWN));
        }
        if (isMistaken(events)) {
            throw new IllegalArgumentException(ReadyEntries.names(events & UNASKED) + " is reported unasked; ask for 0"
                    + " to hear of nothing else"
                    + ((events & POLLERR) == 0 ? "" : ", or for POLLOUT if SelectionKey.OP_CONNECT was meant")
                    + ((events & POLLHUP) == 0 ? "" : ", or for POLLIN if SelectionKey.OP_ACCEPT was meant"));
        }
        if (!supports(events, multiplexer)) {
            throw new UnsupportedOperationException(multiplexer.mechanism() + " has no edge-triggered events");
        }
    }
}
