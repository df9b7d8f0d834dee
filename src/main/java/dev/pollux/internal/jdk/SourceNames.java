// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import sun.nio.ch.SelChImpl;

/**
 * What channels and sockets are called in warnings, exceptions and events: by their addresses, since these are what an
 * operator can look for. The JDK's own text of a datagram channel or a pipe tells nothing.
 *
 * <p>No name is looked up, and a channel may be closed at any time. The text may hold what a peer or the program has
 * chosen, so show it through {@code Printable}. Stateless. Allocates. It may wait for the lock of a channel's state.
 */
public final class SourceNames {
    private SourceNames() {
    }

    /** {@return a name with addresses; that of a pipe has its descriptor instead} */
    public static String of(Object source) {
        String type = pipeEnd(source);
        if (type != null) {
            SelectableChannel pipe = (SelectableChannel) source;
            return type + (pipe.isOpen() ? withDescriptor(((SelChImpl) pipe).getFDVal()) : "[closed]");
        }
        return nameWithAddresses(source);
    }

    /** {@return a name that has this descriptor in any case} */
    public static String of(Object source, int fd) {
        String type = pipeEnd(source);
        return (type != null ? type : nameWithAddresses(source)) + withDescriptor(fd);
    }

    private static String withDescriptor(int fd) {
        return " (descriptor " + fd + ')';
    }

    /** What an end of a pipe of the JDK's is called; null for anything else. */
    private static String pipeEnd(Object source) {
        if (!(source instanceof SelChImpl)) {
            return null;
        }
        return source instanceof Pipe.SourceChannel ? "java.nio.channels.Pipe.SourceChannel"
                : source instanceof Pipe.SinkChannel ? "java.nio.channels.Pipe.SinkChannel" : null;
    }

    private static String nameWithAddresses(Object source) {
        if (source instanceof DatagramChannel channel) {
            return "java.nio.channels.DatagramChannel" + addresses(channel);
        }
        return String.valueOf(source);
    }

    private static String addresses(DatagramChannel channel) {
        try {
            SocketAddress local = channel.getLocalAddress();
            SocketAddress remote = channel.getRemoteAddress();
            return "[local=" + (local == null ? "none" : local) + ", remote=" + (remote == null ? "none" : remote)
                    + ']';
        } catch (IOException e) {
            return "[closed]";
        }
    }
}
