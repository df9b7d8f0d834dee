// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.util.List;
import javax.net.ssl.SSLSocket;
import sun.nio.ch.NioSocketImpl;
import sun.nio.ch.SelChImpl;

/** The descriptors of channels and sockets. The library must have been loaded. */
public final class Descriptors {
    private Descriptors() {
    }

    /** {@return this class and those behind it that are not loaded before the first use} */
    public static List<Class<?>> usedLater() {
        return List.of(Descriptors.class, SourceNames.class, SocketOpenness.class, SocketOpenness.Members.class);
    }

    /**
     * What stands for a source: the channel of a socket that has one, else what is behind the socket. Calls the
     * source's own methods, so not for a thread that holds a lock.
     *
     * @return a channel, a FileDescriptor or a NioSocketImpl; or the socket itself if it has no descriptor yet
     * @throws IllegalArgumentException if it is nothing that has a descriptor which tells its readiness
     */
    public static Object canonical(Object source) {
        if (source instanceof SSLSocket) {
            throw new IllegalArgumentException("the descriptor of an SSLSocket says nothing of its readiness, since it"
                    + " buffers what it has deciphered; use an SSLEngine over a SocketChannel: " + source);
        }
        if (source instanceof SelectableChannel || source instanceof FileDescriptor) {
            return source;
        }
        if (source instanceof Socket socket) {
            return behind(socket.getChannel(), Socket.class, socket);
        }
        if (source instanceof ServerSocket server) {
            return behind(server.getChannel(), ServerSocket.class, server);
        }
        if (source instanceof DatagramSocket datagram) {
            return channelOf(datagram);
        }
        throw new IllegalArgumentException("neither a SelectableChannel, Socket, ServerSocket, DatagramSocket,"
                + " FileDescriptor nor the number of a descriptor: " + source);
    }

    /** {@return the channel of a socket, the JDK's implementation, or the FileDescriptor of another one; or else it} */
    private static Object behind(Object channel, Class<?> type, Object socket) {
        if (channel != null) {
            return channel;
        }
        try {
            SocketImpl impl = JdkNatives.socketImpl(type, socket);
            NioSocketImpl jdks = impl == null ? null : SocketOpenness.ofJdk(impl);
            SocketImpl inner = jdks == null ? impl : jdks;
            FileDescriptor file = inner == null ? null : JdkNatives.fileDescriptor(SocketImpl.class, inner);
            return file == null ? socket : jdks == null ? file : jdks;
        } catch (NoSuchFieldError | NoSuchMethodError | ReflectiveOperationException e) {
            throw unknown(e);
        }
    }

    /** Whether a (canonical) source with a descriptor is open. Calls the JDK alone, so a lock may be held. */
    public static boolean isOpen(Object source) {
        if (source instanceof SelectableChannel channel) {
            return channel.isOpen(); // final
        }
        if (source instanceof FileDescriptor file) {
            return file.valid();
        }
        return SocketOpenness.isOpen((NioSocketImpl) source);
    }

    /** The descriptor of a (canonical) source; an exception tells why it has none: closed, not connected or bound. */
    public static int of(Object source) throws IOException {
        if (!hasDescriptor(source)) {
            throw source instanceof Socket socket
                    ? withoutDescriptor(socket.isClosed(), socket.isBound() || socket.isConnected(), socket)
                    : withoutDescriptor(((ServerSocket) source).isClosed(), ((ServerSocket) source).isBound(), source);
        }
        int number = ofOpen(source);
        if (number < 0) {
            throw source instanceof SelectableChannel ? new ClosedChannelException()
                    : new SocketException("closed: " + source);
        }
        return number;
    }

    private static SocketException withoutDescriptor(boolean closed, boolean inUse, Object socket) {
        return new SocketException((closed ? "closed: "
                : inUse ? "passes on to another socket, which has the descriptor; add that one instead: "
                : "neither connected nor bound, so that there is no descriptor yet: ") + socket);
    }

    private static boolean hasDescriptor(Object canonical) {
        return !(canonical instanceof Socket || canonical instanceof ServerSocket);
    }

    /** The descriptor of a source (a canonical one), or -1 if it has none. */
    public static int ofOpen(Object source) {
        if (!hasDescriptor(source) || !isOpen(source)) {
            return -1;
        }
        if (source instanceof SelectableChannel) {
            if (source instanceof SelChImpl channel) {
                return channel.getFDVal();
            }
            throw new IllegalArgumentException("not a channel of the JDK, so that its descriptor can't be known: "
                    + source);
        }
        return JdkNatives.number(source instanceof FileDescriptor file ? file
                : JdkNatives.fileDescriptor(SocketImpl.class, (NioSocketImpl) source));
    }

    /** A DatagramSocket is a shell around one that the JDK made of a channel. */
    private static Object channelOf(DatagramSocket socket) {
        if (socket.getChannel() != null) {
            return socket.getChannel();
        }
        try {
            Object channel = JdkNatives.delegate(DatagramSocket.class, socket).getChannel();
            if (channel != null) {
                return channel;
            }
        } catch (NoSuchMethodError e) {
            throw unknown(e);
        }
        throw new IllegalArgumentException("made by a DatagramSocketImplFactory, so that its descriptor can't be"
                + " known: " + socket);
    }

    private static IllegalArgumentException unknown(Throwable missing) {
        return new IllegalArgumentException("only the descriptors of channels can be known here: "
                + JdkAccess.lacking("means to know them (" + missing + ')'), missing);
    }
}
