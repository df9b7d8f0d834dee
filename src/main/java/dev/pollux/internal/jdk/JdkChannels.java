// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;

/**
 * Makes the JDK's own channels in the name of a provider of ours, so that {@code channel.provider()} is that provider.
 * The methods are those of {@link SelectorProvider}. The constructors check the protocol family themselves; what they
 * throw is passed on as it is.
 *
 * <p>Native code calls the constructors: method handles would take the start of a VM many milliseconds. Immutable.
 */
public final class JdkChannels {
    private static final String PROVIDER = "Ljava/nio/channels/spi/SelectorProvider;";
    private static final String FAMILY = "Ljava/net/ProtocolFamily;";

    /** Of DatagramChannelImpl only: whether it is interruptible. The other kind serves the JDK's DatagramSocket. */
    private static final String INTERRUPTIBLE = "Z";

    /** What every server uses. Other kinds are looked for when they are opened: most programs never load them. */
    private final Class<?> server;
    private final Class<?> socket;

    public JdkChannels() throws IOException {
        server = type("ServerSocketChannelImpl");
        socket = type("SocketChannelImpl");
    }

    private static Class<?> type(String name) throws IOException {
        Class<?> type = typeIfPresent(name);
        if (type == null) {
            throw JdkAccess.missing("class " + JdkAccess.CHANNELS + '.' + name, null);
        }
        return type;
    }

    /** Under a security manager callers might not be permitted to load it. */
    private static Class<?> typeIfPresent(String name) throws IOException {
        String full = JdkAccess.CHANNELS + '.' + name;
        return Privileged.isNeeded() ? Privileged.<Class<?>>run(() -> JdkAccess.classIfPresent(full))
                : JdkAccess.classIfPresent(full);
    }

    private static Class<?> datagram() throws IOException {
        return type("DatagramChannelImpl");
    }

    public DatagramChannel datagramChannel(SelectorProvider provider) throws IOException {
        return (DatagramChannel) make(datagram(), PROVIDER + INTERRUPTIBLE, provider, null);
    }

    public DatagramChannel datagramChannel(SelectorProvider provider, ProtocolFamily family) throws IOException {
        return (DatagramChannel) make(datagram(), PROVIDER + FAMILY + INTERRUPTIBLE, provider, require(family));
    }

    public Pipe pipe(SelectorProvider provider) throws IOException {
        return (Pipe) make(type("PipeImpl"), PROVIDER, provider, null);
    }

    public ServerSocketChannel serverSocketChannel(SelectorProvider provider) throws IOException {
        return (ServerSocketChannel) make(server, PROVIDER, provider, null);
    }

    public ServerSocketChannel serverSocketChannel(SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        return (ServerSocketChannel) make(server, PROVIDER + FAMILY, provider, require(family));
    }

    public SocketChannel socketChannel(SelectorProvider provider) throws IOException {
        return (SocketChannel) make(socket, PROVIDER, provider, null);
    }

    public SocketChannel socketChannel(SelectorProvider provider, ProtocolFamily family) throws IOException {
        return (SocketChannel) make(socket, PROVIDER + FAMILY, provider, require(family));
    }

    /**
     * The channel on standard input, one for the whole VM; null if there is none, as always on Windows. The JDK makes
     * it in the name of the VM's own provider, and asserts that this is one of its own.
     */
    public Channel inheritedChannel() throws IOException {
        Class<?> inherited = typeIfPresent("InheritedChannel");
        try {
            return inherited == null ? null : JdkNatives.inheritedChannel(inherited);
        } catch (NoSuchMethodError e) {
            throw JdkAccess.missing("method " + inherited.getName() + ".getChannel", e);
        } catch (AssertionError e) {
            throw new IOException("with the JDK's own assertions on (-esa), the JDK gives an inherited channel to its"
                    + " own providers only", e);
        }
    }

    private static ProtocolFamily require(ProtocolFamily family) {
        return Objects.requireNonNull(family, "'family' is null");
    }

    /** Native code throws what the constructor throws; that it is an IOException the compiler can't know. */
    private static Object make(Class<?> type, String parameters, SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        try {
            return JdkNatives.newChannel(type, '(' + parameters + ")V", provider, family);
        } catch (NoSuchMethodError e) {
            throw JdkAccess.missing("constructor " + type.getName() + '(' + parameters + ')', e);
        }
    }
}
