// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.FileDescriptor;
import java.lang.invoke.MethodHandles;
import java.net.DatagramSocket;
import java.net.ProtocolFamily;
import java.net.SocketImpl;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/**
 * The native methods that reach what Java may not: each one member of the JDK, for one use, so that no package
 * has to be open to all code. A member that this JDK lacks is a {@link NoSuchFieldError} or {@link NoSuchMethodError}.
 * The library must have been loaded.
 */
final class JdkNatives {
    private JdkNatives() {
    }

    /** Opens {@code sun.nio.ch}: 0, or -1 if this JDK has no {@code Module.implAddOpens}. */
    static native int openChannels(Module base, Module to);

    /** The look-up that may see everything; {@code type} is its class. Never kept, and never handed out. */
    static native MethodHandles.Lookup trustedLookup(Class<?> type);

    /** Makes a channel; the parameters of its constructor are a descriptor. The family is null if it takes none. */
    static native Object newChannel(Class<?> type, String parameters, SelectorProvider provider, ProtocolFamily family);

    static native Channel inheritedChannel(Class<?> type);

    static native void setSelectedKeys(Class<?> type, Object selector, Set<?> keys, Set<?> view);

    /** What is in the field {@code impl} of a Socket or ServerSocket, which {@code type} says. */
    static native SocketImpl socketImpl(Class<?> type, Object socket);

    static native FileDescriptor fileDescriptor(Class<?> type, SocketImpl impl);

    static native int number(FileDescriptor descriptor);

    static native DatagramSocket delegate(Class<?> type, DatagramSocket socket);

    /** Gives the memory of a buffer of {@code allocateDirect} back. */
    static native void free(ByteBuffer buffer);
}
