// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * Makes the JDK's own channels in the name of a provider of ours, so that {@code channel.provider()} is that provider.
 * The constructors check the protocol family themselves; what they throw is passed on as it is.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class JdkChannels {

    private static final String INHERITED = "sun.nio.ch.InheritedChannel";

    private final MethodHandle datagram;
    private final MethodHandle datagramOf;
    private final MethodHandle pipe;
    private final MethodHandle server;
    private final MethodHandle serverOf;
    private final MethodHandle socket;
    private final MethodHandle socketOf;

    /** Null where the JDK has no inherited channels: on Windows. */
    private final MethodHandle inherited;

    /**
     * Looks everything up.
     *
     * @param access access to the JDK
     * @throws IOException if this JDK lacks a member; the message names it
     */
    public JdkChannels(JdkAccess access) throws IOException {
        Class<?> provider = SelectorProvider.class;
        Class<?> family = ProtocolFamily.class;
        datagram = interruptible(1, access.constructor("sun.nio.ch.DatagramChannelImpl", provider, boolean.class))
                .asType(MethodType.methodType(DatagramChannel.class, provider));
        datagramOf = interruptible(2,
                access.constructor("sun.nio.ch.DatagramChannelImpl", provider, family, boolean.class))
                .asType(MethodType.methodType(DatagramChannel.class, provider, family));
        pipe = access.constructor("sun.nio.ch.PipeImpl", provider)
                .asType(MethodType.methodType(Pipe.class, provider));
        server = access.constructor("sun.nio.ch.ServerSocketChannelImpl", provider)
                .asType(MethodType.methodType(ServerSocketChannel.class, provider));
        serverOf = access.constructor("sun.nio.ch.ServerSocketChannelImpl", provider, family)
                .asType(MethodType.methodType(ServerSocketChannel.class, provider, family));
        socket = access.constructor("sun.nio.ch.SocketChannelImpl", provider)
                .asType(MethodType.methodType(SocketChannel.class, provider));
        socketOf = access.constructor("sun.nio.ch.SocketChannelImpl", provider, family)
                .asType(MethodType.methodType(SocketChannel.class, provider, family));
        inherited = access.hasClass(INHERITED)
                ? access.staticMethod(INHERITED, "getChannel", MethodType.methodType(Channel.class)) : null;
    }

    /** Every channel that a provider makes is interruptible; the other kind serves the JDK's DatagramSocket. */
    private static MethodHandle interruptible(int position, MethodHandle constructor) {
        return MethodHandles.insertArguments(constructor, position, true);
    }

    /** What {@link SelectorProvider#openDatagramChannel()} returns. */
    public DatagramChannel datagramChannel(SelectorProvider provider) throws IOException {
        try {
            return (DatagramChannel) datagram.invokeExact(provider);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /** What {@link SelectorProvider#openDatagramChannel(ProtocolFamily)} returns. */
    public DatagramChannel datagramChannel(SelectorProvider provider, ProtocolFamily family) throws IOException {
        try {
            return (DatagramChannel) datagramOf.invokeExact(provider, family);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /** What {@link SelectorProvider#openPipe()} returns. */
    public Pipe pipe(SelectorProvider provider) throws IOException {
        try {
            return (Pipe) pipe.invokeExact(provider);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /** What {@link SelectorProvider#openServerSocketChannel()} returns. */
    public ServerSocketChannel serverSocketChannel(SelectorProvider provider) throws IOException {
        try {
            return (ServerSocketChannel) server.invokeExact(provider);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /** What {@link SelectorProvider#openServerSocketChannel(ProtocolFamily)} returns. */
    public ServerSocketChannel serverSocketChannel(SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        try {
            return (ServerSocketChannel) serverOf.invokeExact(provider, family);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /** What {@link SelectorProvider#openSocketChannel()} returns. */
    public SocketChannel socketChannel(SelectorProvider provider) throws IOException {
        try {
            return (SocketChannel) socket.invokeExact(provider);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /** What {@link SelectorProvider#openSocketChannel(ProtocolFamily)} returns. */
    public SocketChannel socketChannel(SelectorProvider provider, ProtocolFamily family) throws IOException {
        try {
            return (SocketChannel) socketOf.invokeExact(provider, family);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    /**
     * The channel on standard input, one for the whole VM; null if there is none, as always on Windows. The JDK makes it in
     * the name of the VM's own provider and asserts that this is one of its own: an assertion that holds for nobody who
     * follows the specification.
     */
    public Channel inheritedChannel() throws IOException {
        try {
            return inherited == null ? null : (Channel) inherited.invokeExact();
        } catch (AssertionError e) {
            throw new IOException("with the JDK's own assertions on (-esa), the JDK gives an inherited channel to its"
                    + " own providers only", e);
        } catch (Throwable e) {
            throw asThrown(e);
        }
    }

    private static IOException asThrown(Throwable e) {
        if (e instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof IOException checked ? checked : new IOException(e);
    }
}
