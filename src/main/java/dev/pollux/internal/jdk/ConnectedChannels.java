// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** Makes a channel of a connected socket that is known by its descriptor only. Immutable. */
public final class ConnectedChannels {
    private final MethodHandle newDescriptor;
    private final MethodHandle newChannel;
    private final MethodHandle remoteAddress;

    public ConnectedChannels() throws IOException {
        MethodHandles.Lookup lookup = JdkMembers.trustedLookup();
        Class<?> channel = JdkAccess.classIfPresent("sun.nio.ch.SocketChannelImpl");
        Class<?> util = JdkAccess.classIfPresent("sun.nio.ch.IOUtil");
        Class<?> net = JdkAccess.classIfPresent("sun.nio.ch.Net");
        try {
            newDescriptor = lookup.findStatic(util, "newFD", MethodType.methodType(FileDescriptor.class, int.class));
            remoteAddress = lookup.findStatic(net, "remoteAddress",
                    MethodType.methodType(InetSocketAddress.class, FileDescriptor.class));
            newChannel = lookup.findConstructor(channel, MethodType.methodType(void.class, SelectorProvider.class,
                    ProtocolFamily.class, FileDescriptor.class, SocketAddress.class));
        } catch (ReflectiveOperationException e) {
            throw JdkAccess.missing("constructor of SocketChannelImpl for a descriptor", e);
        }
    }

    /** Makes a channel that owns the descriptor of a connected socket in blocking mode, unless this throws. */
    public SocketChannel of(SelectorProvider provider, ProtocolFamily family, int descriptor) throws IOException {
        try {
            FileDescriptor file = (FileDescriptor) newDescriptor.invoke(descriptor);
            SocketAddress address = family == StandardProtocolFamily.UNIX ? UnixDomainSocketAddress.of("")
                    : (SocketAddress) remoteAddress.invoke(file);
            return (SocketChannel) newChannel.invoke(provider, family, file, address);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }
}
