// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.nio.ByteBuffer;

/**
 * The native methods, one for each call of {@code pollux.h} and nothing else. They report and never decide: a result is
 * a value &ge; 0 or a negated error code, and none throws.
 *
 * <p>A set is named by the handle that {@link #open} returned and is not checked: a handle used after {@link #close}
 * brings the VM down. Thread-safety and units are those of {@code pollux.h}. {@link NativeLibrary} must have loaded the
 * library before the first call.
 */
public final class Natives {
    /** Bytes of one event, and the offsets of its four ints; native byte order ({@code plx_event}). */
    public static final int EVENT_BYTES = 16, EVENT_FD = 0, EVENT_GEN = 4, EVENT_EVENTS = 8, EVENT_ERROR = 12;

    /** Events, the values of {@code PLX_IN} and its neighbours. */
    public static final int IN = 1, PRI = 2, OUT = 4, ERR = 8, HUP = 16, NVAL = 32, RDHUP = 64,
            ONESHOT = 1 << 8, EDGE = 1 << 9, CERTAIN = 1 << 10, FAILED = 1 << 15;

    /** The descriptor of an event that stands for a consumed wakeup ({@code PLX_WAKE}). */
    public static final int WAKE = -1;

    /** What a set can do, the values of {@code PLX_CAP_POLLABLE} and its neighbours. */
    public static final int CAP_POLLABLE = 1, CAP_EDGE = 4, CAP_ONESHOT = 8, CAP_LIVE = 16,
            CAP_MERGED = 32;

    private Natives() {
    }

    public static native String mechanisms();

    public static native long open(String mechanism);

    public static native String name(long set);

    public static native String features(long set);

    public static native String updateCall(long set);

    public static native String awaitCall(long set);

    public static native int caps(long set);

    public static native long handle(long set);

    public static native int update(long set, int fd, int gen, int had, int want);

    public static native int await(long set, long events, int cap, long nanos);

    /** Tells whether the result of {@link #await} says that a signal ended the wait ({@code -EINTR}). */
    public static native boolean interrupted(int result);

    public static native int discardUrgent(int fd);

    public static native int wakeup(long set);

    public static native void close(long set);

    public static native String strerror(int code);

    /** A buffer for {@code cap} events outside of the heap, or null; given back by {@link #free}. */
    public static native ByteBuffer newEvents(int cap);

    public static native long address(ByteBuffer events);

    public static native void free(long address);
}
