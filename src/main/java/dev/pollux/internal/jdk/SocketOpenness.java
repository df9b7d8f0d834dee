// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.net.SocketImpl;
import sun.nio.ch.NioSocketImpl;

/**
 * Tells whether a socket of {@code java.net} is open, by the state of the JDK's own implementation of it.
 *
 * <p>On JDK 17 {@code Socket.isClosed} waits for a lock that a lingering {@code close} holds, and a subclass may
 * override it. {@link #isOpen} takes no lock and calls nothing but the JDK. So it may be called with a lock held.
 */
final class SocketOpenness {
    /** Null before the first socket was added: few programs add one, and method handles take the VM some time. */
    private static volatile Members members;

    /** Private members of the JDK: {@code (NioSocketImpl)boolean}; an implementation that delegates, and its field. */
    record Members(MethodHandle isOpen, Class<?> delegating, VarHandle delegate) {
        static Members find() throws ReflectiveOperationException {
            try {
                MethodHandles.Lookup lookup = JdkMembers.trustedLookup();
                Class<?> delegating = Class.forName("java.net.DelegatingSocketImpl", false, null);
                return new Members(
                        lookup.findVirtual(NioSocketImpl.class, "isOpen", MethodType.methodType(boolean.class)),
                        delegating, lookup.findVarHandle(delegating, "delegate", SocketImpl.class));
            } catch (java.io.IOException e) {
                throw new ReflectiveOperationException(e);
            }
        }
    }

    private SocketOpenness() {
    }

    /**
     * {@return the JDK's implementation behind one that may only pass on to it, as for connections through a proxy;
     * null if the implementation is not the JDK's}
     */
    static NioSocketImpl ofJdk(SocketImpl impl) throws ReflectiveOperationException {
        Members known = members();
        SocketImpl inner = impl;
        while (known.delegating.isInstance(inner)) {
            inner = (SocketImpl) known.delegate.get(inner);
        }
        return inner instanceof NioSocketImpl jdks ? jdks : null;
    }

    /** Whether a socket was not closed, nor is being closed. One that {@link #ofJdk} has returned. */
    static boolean isOpen(NioSocketImpl impl) {
        try {
            return (boolean) members.isOpen.invokeExact(impl);
        } catch (Throwable e) {
            throw VirtualThreads.unchecked(e);
        }
    }

    private static Members members() throws ReflectiveOperationException {
        Members known = members;
        if (known == null) {
            known = Members.find();
            members = known;
        }
        return known;
    }
}
