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
import javax.net.ssl.SSLSocket;
import sun.nio.ch.SelChImpl;

/**
 * The descriptors of channels and sockets.
 *
 * <p>Stateless. The library must have been loaded.
 */
public final class Descriptors {
    private Descriptors() {
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
        } else if (!(source instanceof SelectableChannel || source instanceof FileDescriptor)) {
            throw new IllegalArgumentException("neither a SelectableChannel, Socket, ServerSocket, DatagramSocket,"
                    + " FileDescriptor nor the number of a descriptor: " + source);
        }
        return channel == null ? source : channel;
    }

    /** Tells whether a source (a canonical one) is open. */
    public static boolean isOpen(Object source) {
        if (source instanceof SelectableChannel channel) {
            return channel.isOpen();
        }
        if (source instanceof FileDescriptor file) {
            return file.valid();
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
                    : new SocketException("closed: " + source);
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
        return source instanceof FileDescriptor file ? JdkNatives.number(file) : ofSocket(source);
    }

    private static int ofSocket(Object socket) {
        try {
            Class<?> type = socket instanceof Socket ? Socket.class : ServerSocket.class;
            SocketImpl impl = JdkNatives.socketImpl(type, socket);
            FileDescriptor descriptor = impl == null ? null : JdkNatives.fileDescriptor(SocketImpl.class, impl);
            return descriptor == null ? -1 : JdkNatives.number(descriptor);
        } catch (NoSuchFieldError | NoSuchMethodError e) {
            throw unknown(e);
        }
    }

    /** A DatagramSocket is a shell around one that the JDK made of a channel. */
    private static Object channelOf(DatagramSocket socket) {
        if (socket.getChannel() != null) {
            return socket.getChannel();
        }
        Object channel;
        try {
            channel = JdkNatives.delegate(DatagramSocket.class, socket).getChannel();
        } catch (NoSuchMethodError e) {
            throw unknown(e);
        }
        if (channel == null) {
            throw new IllegalArgumentException("made by a DatagramSocketImplFactory, so that its descriptor can't be known: "
                    + socket);
        }
        return channel;
    }

    private static IllegalArgumentException unknown(LinkageError missing) {
        return new IllegalArgumentException("only the descriptors of channels can be known here: "
                + JdkAccess.lacking("means to know them (" + missing + ')'), missing);
    }
}
