// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.jdk.ConnectedChannels;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;

/**
 * Channels of the sockets of a server: of new ones, of those that have a descriptor, and of connections whose options
 * are set. For any thread. Allocation: for each channel.
 */
final class SocketChannels {
    private final ConnectedChannels channels = new ConnectedChannels();

    /** Of connections that are accepted, with their values. */
    private final Map<SocketOption<?>, Object> options;

    /** Finds out whether sockets of this address have these options, if there are some. */
    SocketChannels(SocketAddress address, Map<SocketOption<?>, Object> options) throws IOException {
        this.options = options;
        if (!options.isEmpty()) {
            try (SocketChannel one = open(address)) {
                setOptions(one);
            }
        }
    }

    /** One that can be connected to this address. */
    static SocketChannel open(SocketAddress remote) throws IOException {
        return remote instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
    }

    /** One of a connected socket, which owns the descriptor; that is closed if this throws. */
    SocketChannel of(int descriptor) throws IOException {
        try {
            return channels.of(SelectorProvider.provider(), Arena.family(descriptor), descriptor);
        } catch (Throwable e) {
            Arena.dispose(descriptor);
            throw e;
        }
    }

    /** Sets the options of a connection that was accepted; makes no channel if there are none. */
    void setOptions(Arena arena, long connection) throws IOException {
        if (!options.isEmpty()) {
            try (SocketChannel channel = of(arena.duplicate(connection))) {
                setOptions(channel);
            }
        }
    }

    @SuppressWarnings("unchecked") // each has a value of its type
    private void setOptions(SocketChannel channel) throws IOException {
        for (Map.Entry<SocketOption<?>, Object> each : options.entrySet()) {
            channel.setOption((SocketOption<Object>) each.getKey(), each.getValue());
        }
    }
}
