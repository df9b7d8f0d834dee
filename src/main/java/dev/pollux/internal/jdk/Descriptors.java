// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import javax.net.ssl.SSLSocket;
import sun.nio.ch.SelChImpl;

/**
 * The descriptors of channels and sockets.
 *
 * <p>Stateless. Must not be used before {@link JdkAccess} was acquired.
 */
public final class Descriptors {
    private static final String PACKAGE = "java.net";

    /** Null, all of them, where only channels and their sockets have descriptors that can be known. */
    private static final MethodHandle SOCKET_IMPL, SERVER_SOCKET_IMPL, FILE_DESCRIPTOR, NUMBER, DELEGATE;

    /** Why that is so, and what to do; or null. */
    private static final String REASON;

    static {
        MethodHandle[] found = new MethodHandle[5];
        REASON = find(JdkAccess.acquired(), found);
        SOCKET_IMPL = found[0];
        SERVER_SOCKET_IMPL = found[1];
        FILE_DESCRIPTOR = found[2];
        NUMBER = found[3];
        DELEGATE = found[4];
    }

    private Descriptors() {
    }

    private static String find(JdkAccess access, MethodHandle[] found) {
        if (!access.open(PACKAGE)) {
            return "the package " + PACKAGE + " can't be opened from native code; start the VM with --add-opens java.base/"
                    + PACKAGE + "=ALL-UNNAMED";
        }
        try {
            MethodHandle[] all = {impl(Socket.class), impl(ServerSocket.class),
                    method(SocketImpl.class, "getFileDescriptor", FileDescriptor.class),
                    access.staticMethod("sun.nio.ch.IOUtil", "fdVal", MethodType.methodType(int.class, FileDescriptor.class)),
                    method(DatagramSocket.class, "delegate", DatagramSocket.class)};
            System.arraycopy(all, 0, found, 0, all.length);
            return null;
        } catch (IOException | ReflectiveOperationException e) {
            return JdkAccess.lacking("means to know them (" + e + ')');
        }
    }

    private static MethodHandle impl(Class<?> socket) throws ReflectiveOperationException {
        return JdkAccess.lookup(socket).findGetter(socket, "impl", SocketImpl.class)
                .asType(MethodType.methodType(SocketImpl.class, Object.class));
    }

    private static MethodHandle method(Class<?> owner, String name, Class<?> result) throws ReflectiveOperationException {
        return JdkAccess.lookup(owner).findVirtual(owner, name, MethodType.methodType(result));
    }

    /**
     * What stands for a source: the channel of a socket that has one, else the socket or channel itself.
     *
     * @throws IllegalArgumentException if it is nothing that has a descriptor which tells its readiness
     */
    public static Object canonical(Object source) {
        if (source instanceof SSLSocket) {
            throw new IllegalArgumentException("the descriptor of an SSLSocket says nothing of its readiness, since it buffers"
                    + " what it has deciphered; use an SSLEngine over a SocketChannel: " + source);
        }
        Object channel = null;
        if (source instanceof Socket socket) {
            channel = socket.getChannel();
        } else if (source instanceof ServerSocket server) {
            channel = server.getChannel();
        } else if (source instanceof DatagramSocket datagram) {
            channel = channelOf(datagram);
        } else if (!(source instanceof SelectableChannel)) {
            throw new IllegalArgumentException("neither a SelectableChannel, Socket, ServerSocket, DatagramSocket nor the number"
                    + " of a descriptor: " + source);
        }
        return channel == null ? source : channel;
    }

    /** Tells whether a source (a canonical one) is open. */
    public static boolean isOpen(Object source) {
        if (source instanceof SelectableChannel channel) {
            return channel.isOpen();
        }
        return source instanceof Socket socket ? !socket.isClosed() : !((ServerSocket) source).isClosed();
    }

    /**
     * The descriptor of a source (a canonical one).
     *
     * @throws IOException if it has none, because it is closed, or not yet connected or bound
     */
    public static int of(Object source) throws IOException {
        int number = ofOpen(source);
        if (number >= 0) {
            return number;
        }
        if (!isOpen(source)) {
            throw source instanceof SelectableChannel ? new ClosedChannelException()
                    : new SocketException("Socket is closed: " + source);
        }
        throw new SocketException("neither connected nor bound, so that there is no descriptor yet: " + source);
    }

    /** The descriptor of a source (a canonical one), or -1 if it has none. */
    public static int ofOpen(Object source) {
        if (!isOpen(source)) {
            return -1;
        }
        if (source instanceof SelectableChannel) {
            if (source instanceof SelChImpl channel) {
                return channel.getFDVal();
            }
            throw new IllegalArgumentException("not a channel of the JDK, so that its descriptor can't be known: " + source);
        }
        return ofSocket(source);
    }

    private static int ofSocket(Object socket) {
        requireKnown();
        try {
            SocketImpl impl = socket instanceof Socket ? (SocketImpl) SOCKET_IMPL.invokeExact(socket)
                    : (SocketImpl) SERVER_SOCKET_IMPL.invokeExact(socket);
            FileDescriptor descriptor = impl == null ? null : (FileDescriptor) FILE_DESCRIPTOR.invokeExact(impl);
            return descriptor == null ? -1 : (int) NUMBER.invokeExact(descriptor);
        } catch (Throwable e) {
            throw VirtualThreads.unchecked(e);
        }
    }

    /** A DatagramSocket is a shell around one that the JDK made of a channel. */
    private static Object channelOf(DatagramSocket socket) {
        if (socket.getChannel() != null) {
            return socket.getChannel();
        }
        requireKnown();
        Object channel;
        try {
            channel = ((DatagramSocket) DELEGATE.invokeExact(socket)).getChannel();
        } catch (Throwable e) {
            throw VirtualThreads.unchecked(e);
        }
        if (channel == null) {
            throw new IllegalArgumentException("made by a DatagramSocketImplFactory, so that its descriptor can't be known: "
                    + socket);
        }
        return channel;
    }

    private static void requireKnown() {
        if (REASON != null) {
            throw new IllegalArgumentException("only the descriptors of channels can be known here: " + REASON);
        }
    }
}
