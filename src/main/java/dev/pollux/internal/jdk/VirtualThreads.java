// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * What a selection needs to know of virtual threads, on JDKs that have them and on those that don't.
 *
 * <p>Stateless but for what is looked up once; nothing here allocates or boxes after that. Where the JDK has no virtual
 * threads the compiler folds each method to a constant. Must not be used before {@link JdkMembers} were found.
 */
public final class VirtualThreads {
    /** {@code Thread.isVirtual} asks for this class. JDK 17 lacks that method, and a method handle takes time. */
    private static final Class<?> VIRTUAL = JdkMembers.found().virtualThread;

    private static final Class<?> BLOCKER = JdkMembers.found().blocker;
    private static final boolean BLOCKER_IS_LONG = JdkMembers.found().blockerIsLong;

    /**
     * What was found of the JDK's poller; null before it was looked for. That is done when the first virtual thread
     * asks, since a method handle takes the VM some milliseconds. It is remembered only if it did not fail.
     */
    private static volatile Parking parking;

    /** @param pollSelector parks on a descriptor: {@code (int, long)void}; null if this JDK has no such method */
    private record Parking(MethodHandle pollSelector) {
    }

    private VirtualThreads() {
    }

    /** {@return whether the current thread is a virtual one} */
    public static boolean isVirtual() {
        return VIRTUAL != null && VIRTUAL.isInstance(Thread.currentThread());
    }

    /** {@return whether a virtual thread can leave its carrier while it waits for a descriptor} */
    public static boolean canPark() {
        return VIRTUAL != null && parking().pollSelector != null;
    }

    /** {@return whether a virtual thread that blocks its carrier gets a substitute for it} */
    public static boolean canCompensate() {
        return BLOCKER != null;
    }

    /**
     * Parks the current virtual thread until a descriptor is readable, or for some time; it may return early.
     *
     * @param fd    the descriptor
     * @param nanos how long at most, 0 for ever
     * @throws IOException if the JDK can't watch the descriptor
     */
    public static void park(int fd, long nanos) throws IOException {
        try {
            parking().pollSelector.invokeExact(fd, nanos);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /**
     * Says that the current thread is about to block in the kernel: if it is a virtual one, another carrier may start.
     *
     * @return what {@link #endBlocking} wants
     */
    public static long beginBlocking() {
        return BLOCKER == null ? 0 : JdkNatives.beginBlocking(BLOCKER, BLOCKER_IS_LONG);
    }

    /**
     * Says that the current thread no longer blocks.
     *
     * @param begun what {@link #beginBlocking} returned
     */
    public static void endBlocking(long begun) {
        if (BLOCKER != null) {
            JdkNatives.endBlocking(BLOCKER, BLOCKER_IS_LONG, begun);
        }
    }

    private static Parking parking() {
        Parking known = parking;
        return known != null ? known : findParking();
    }

    /** Not through JNI: a thread with a native frame on its stack can't leave its carrier. */
    private static Parking findParking() {
        MethodHandle pollSelector = null;
        // Older ones lack it, and may have a security manager, which would want to know who asks.
        Class<?> poller = JdkMembers.jdk() < 24 ? null : JdkAccess.classIfPresent("sun.nio.ch.Poller");
        if (poller != null) {
            try {
                pollSelector = JdkMembers.trustedLookup().findStatic(poller, "pollSelector",
                        MethodType.methodType(void.class, int.class, long.class));
            } catch (ReflectiveOperationException | IOException absent) {
                pollSelector = null;
            }
        }
        Parking found = new Parking(pollSelector);
        parking = found;
        return found;
    }

    static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }
}
