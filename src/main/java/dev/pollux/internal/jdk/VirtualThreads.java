// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * What a selection needs to know of virtual threads, on JDKs that have them and on those that don't.
 *
 * <p>Stateless; nothing here allocates or boxes. Where the JDK has no virtual threads the compiler folds each method
 * to a constant. Must not be used before {@link JdkAccess} was acquired: what is not found then is never found.
 */
public final class VirtualThreads {

    private static final MethodHandle IS_VIRTUAL = findIsVirtual();
    private static final MethodHandle PARK;
    private static final MethodHandle BEGIN;
    private static final MethodHandle END;

    static {
        JdkAccess access = IS_VIRTUAL == null ? null : JdkAccess.acquired();
        PARK = find(access, "sun.nio.ch.Poller", "pollSelector", void.class, int.class, long.class);
        boolean open = access != null && access.open(JdkAccess.BLOCKING);
        BEGIN = findBegin(open ? access : null);
        END = findEnd(open ? access : null);
    }

    private VirtualThreads() {
    }

    /** {@return whether the current thread is a virtual one} */
    public static boolean isVirtual() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** {@return whether a virtual thread can leave its carrier while it waits for a descriptor} */
    public static boolean canPark() {
        return PARK != null;
    }

    /** {@return whether a virtual thread that blocks its carrier gets a substitute for it} */
    public static boolean canCompensate() {
        return BEGIN != null && END != null;
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
            PARK.invokeExact(fd, nanos);
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
        if (!canCompensate()) {
            return 0;
        }
        try {
            return (long) BEGIN.invokeExact();
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /**
     * Says that the current thread no longer blocks.
     *
     * @param begun what {@link #beginBlocking} returned
     */
    public static void endBlocking(long begun) {
        if (!canCompensate()) {
            return;
        }
        try {
            END.invokeExact(begun);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException before21) {
            return null;
        }
    }

    /** JDK 21 hands a long from begin to end, JDK 25 a boolean: here it is a long on both. */
    private static MethodHandle findBegin(JdkAccess access) {
        MethodHandle begin = find(access, "jdk.internal.misc.Blocker", "begin", long.class);
        if (begin == null) {
            begin = find(access, "jdk.internal.misc.Blocker", "begin", boolean.class);
        }
        return begin == null ? null
                : MethodHandles.explicitCastArguments(begin, MethodType.methodType(long.class));
    }

    private static MethodHandle findEnd(JdkAccess access) {
        MethodHandle end = find(access, "jdk.internal.misc.Blocker", "end", void.class, long.class);
        if (end == null) {
            end = find(access, "jdk.internal.misc.Blocker", "end", void.class, boolean.class);
        }
        return end == null ? null
                : MethodHandles.explicitCastArguments(end, MethodType.methodType(void.class, long.class));
    }

    /** What a JDK lacks is done without: a virtual thread then pins its carrier, which the diagnosis tells. */
    private static MethodHandle find(JdkAccess access, String owner, String name, Class<?> result,
            Class<?>... parameters) {
        if (access == null) {
            return null;
        }
        try {
            return access.staticMethod(owner, name, MethodType.methodType(result, parameters));
        } catch (IOException absent) {
            return null;
        }
    }

    static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }
}
