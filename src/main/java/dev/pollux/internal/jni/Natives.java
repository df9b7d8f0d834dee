// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.nio.ByteBuffer;

/**
 * The calls of {@code pollux.h}. A set is named by the handle that {@link #open} returned and is not checked: a handle
 * used after {@link #close} brings the VM down.
 */
public final class Natives {
    /** Bytes of one event, and the offsets of its long and two ints; native byte order ({@code plx_event}). */
    public static final int EVENT_BYTES = 16, EVENT_COOKIE = 0, EVENT_EVENTS = 8, EVENT_ERROR = 12;

    /** Events, the values of {@code PLX_IN} and its neighbours. */
    public static final int IN = 1, PRI = 2, OUT = 4, ERR = 8, HUP = 16, NVAL = 32, RDHUP = 64,
            ONESHOT = 1 << 8, EDGE = 1 << 9, WAKEUP = 1 << 14, FAILED = 1 << 15;

    /** What a set can do, the values of {@code PLX_CAP_POLLABLE} and its neighbours. */
    public static final int CAP_POLLABLE = 1, CAP_EDGE = 2, CAP_ONESHOT = 4, CAP_LIVE = 8, CAP_MERGED = 16;

    private Natives() {
    }

    /** Tells which build this is: {@link NativeLibrary} compares it with what the jar says. */
    static native String build();

    public static native String mechanisms();

    public static native long open(String mechanism);

    public static native String name(long set);

    public static native String features(long set);

    public static native String changeCall(long set);

    public static native String awaitCall(long set);

    public static native int caps(long set);

    public static native long handle(long set);

    public static native int add(long set, int fd, int want, long cookie);

    public static native int modify(long set, int fd, int want, long cookie);

    public static native int remove(long set, int fd);

    public static native int await(long set, long events, int maxEvents, long nanos);

    /** Replaces the events of {@code n} entries by what can be written now; returns how many are left with any. */
    public static native int askWritable(long events, int n);

    /** Whether there is something to read from a descriptor now; of {@link #handle}, whether an await would find it. */
    public static native boolean isReadable(int fd);

    /** Tells whether the result of {@link #await} says that a signal ended the wait ({@code -EINTR}). */
    public static native boolean interrupted(int result);

    public static native boolean isOpen(int fd);

    public static native int discardOutOfBand(int fd);

    /**
     * Tells what an application has made of a descriptor ({@code plx_tell_progress}).
     *
     * @param counts gets three: bytes unread, read and written
     * @return how many of them could be told
     */
    public static native int progress(int fd, long[] counts);

    /** Kinds of queues: PLX_QUEUE_ in progress.h. */
    public static final int QUEUE_UNKNOWN = 0, QUEUE_BYTES = 1, QUEUE_CONNECTIONS = 2;

    /** Begins to watch the queue of a descriptor ({@code plx_watch_queue}): its kind. */
    public static native int watchQueue(int fd);

    /** What has become of it ({@code plx_look_at_queue}). */
    public static native long lookAtQueue(int fd, int queue);

    public static native void unwatchQueue(int fd, int queue);

    /** Whether the process has a descriptor left; takes one like {@code fd} for a moment. */
    public static native boolean hasDescriptorLeft(int fd);

    public static native int wakeup(long set);

    /** The descriptor that {@link #wakeup} writes to; -1 if there is none. */
    public static native int waker(long set);

    /** How often the kernel says that it was written to, since it was opened or read; -1 if that can't be told. */
    public static native long countSignals(int waker);

    public static native void close(long set);

    public static native String strerror(int code);

    /** A buffer for this number of events outside of the heap, or null; given back by {@link #free}. */
    public static native ByteBuffer newEvents(int maxEvents);

    public static native long address(ByteBuffer events);

    public static native void free(long address);
}
