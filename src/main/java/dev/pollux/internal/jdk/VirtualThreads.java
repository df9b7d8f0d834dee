// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;

/**
 * How virtual threads wait, on JDKs that have them. Elsewhere the compiler folds each method to a constant. Allocates
 * and boxes nothing after the first look-up. Must not be used before {@link JdkMembers} were found.
 */
public final class VirtualThreads {
    /** {@code Thread.isVirtual} asks for this class. JDK 17 lacks that method, and a method handle takes time. */
    private static final Class<?> VIRTUAL = JdkMembers.found().virtualThread;

    private static final Class<?> BLOCKER = JdkMembers.found().blocker;

    /**
     * Null before the first virtual thread waits, since method handles take the VM some milliseconds. They are
     * remembered only if the look-up did not fail.
     */
    private static volatile Handles handles;

    /**
     * How a virtual thread waits for a descriptor. No JNI: a thread with a native frame on its stack can't leave its
     * carrier.
     *
     * @param pollSelector parks on a descriptor: {@code (int, long)void}; null if this JDK has no such method
     * @param begin        asks for a substitute of the carrier, {@code ()long}; null if this JDK can't
     * @param end          {@code (long)void}; gives it back
     * @param carriers     tells whether the substitute comes; null if this JDK can't park, or its pool was not found
     * @param processors   how many virtual threads can run at the same time
     */
    private record Handles(MethodHandle pollSelector, MethodHandle begin, MethodHandle end, CarrierPool carriers,
            int processors) {
    }

    private VirtualThreads() {
    }

    /** {@return whether this JDK has virtual threads} */
    public static boolean exist() {
        return VIRTUAL != null;
    }

    /** {@return this class and those behind it that are not loaded before the first use} */
    public static List<Class<?>> usedLater() {
        return List.of(VirtualThreads.class, Handles.class, CarrierPool.class);
    }

    /** {@return whether the current thread is a virtual one} */
    public static boolean isVirtual() {
        return VIRTUAL != null && VIRTUAL.isInstance(Thread.currentThread());
    }

    /** {@return whether a virtual thread can leave its carrier while it waits for a descriptor} */
    public static boolean canPark() {
        return VIRTUAL != null && handles().pollSelector != null;
    }

    /** {@return whether a virtual thread that blocks its carrier gets a substitute for it} */
    public static boolean canCompensate() {
        return VIRTUAL != null && handles().end != null;
    }

    /** {@return what {@link CarrierPool#replaces} tells; false if this JDK has no such pool} */
    public static boolean replacesCarriers(int spare) {
        if (VIRTUAL == null) {
            return false;
        }
        CarrierPool carriers = handles().carriers;
        return carriers != null && carriers.replaces(spare);
    }

    /** {@return how many virtual threads can run at the same time, as far as is known} */
    public static int processors() {
        return VIRTUAL == null ? 0 : handles().processors;
    }

    /** Parks the current virtual thread until a descriptor is readable, or for this time (0: for ever), or less. */
    public static void park(int fd, long nanos) throws IOException {
        try {
            handles().pollSelector.invokeExact(fd, nanos);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Says that a virtual thread is about to block in the kernel; returns what {@link #endBlocking} wants. */
    public static long beginBlocking() {
        if (!canCompensate()) {
            return 0;
        }
        try {
            return (long) handles().begin.invokeExact();
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    public static void endBlocking(long begun) {
        if (!canCompensate()) {
            return;
        }
        try {
            handles().end.invokeExact(begun);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static Handles handles() {
        Handles known = handles;
        return known != null ? known : findHandles();
    }

    private static Handles findHandles() {
        // Older ones lack it, and may have a security manager, which would want to know who asks.
        Class<?> poller = Runtime.version().feature() < 24 ? null : JdkAccess.classIfPresent("sun.nio.ch.Poller");
        MethodHandle begin = find(BLOCKER, "begin", boolean.class);
        MethodHandle end = find(BLOCKER, "end", void.class, boolean.class);
        if (begin == null) { // JDK 21 hands a long from one to the other
            begin = find(BLOCKER, "begin", long.class);
            end = find(BLOCKER, "end", void.class, long.class);
        }
        boolean both = begin != null && end != null;
        MethodHandle pollSelector = find(poller, "pollSelector", void.class, int.class, long.class);
        CarrierPool carriers = pollSelector == null ? null : CarrierPool.find();
        int processors = Runtime.getRuntime().availableProcessors();
        Handles found = new Handles(pollSelector,
                both ? MethodHandles.explicitCastArguments(begin, MethodType.methodType(long.class)) : null,
                both ? MethodHandles.explicitCastArguments(end, MethodType.methodType(void.class, long.class)) : null,
                carriers, carriers == null ? processors : Math.min(processors, carriers.parallelism()));
        handles = found;
        return found;
    }

    /** What a JDK lacks is done without: a virtual thread then pins its carrier, which the diagnosis tells. */
    private static MethodHandle find(Class<?> owner, String name, Class<?> result, Class<?>... parameters) {
        if (owner == null) {
            return null;
        }
        try {
            return JdkMembers.trustedLookup().findStatic(owner, name, MethodType.methodType(result, parameters));
        } catch (ReflectiveOperationException | IOException absent) {
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
