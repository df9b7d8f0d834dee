// SPDX-License-Identifier: Apache-2.0
package dev.pollux.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.PollSelectorProvider;
import dev.pollux.PolluxSelectorProvider;
import dev.pollux.WEPollSelectorProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything a provider opens belongs to it and behaves as what the JDK's own provider opens. */
class OpenFormsTest {

    /** A family that no JDK knows. */
    private enum Strange implements ProtocolFamily {
        FAMILY
    }

    static List<SelectorProvider> providers() {
        return System.getProperty("os.name").startsWith("Windows")
                ? List.of(new PolluxSelectorProvider(), new WEPollSelectorProvider())
                : List.of(new PolluxSelectorProvider(), new EPollSelectorProvider(), new PollSelectorProvider());
    }

    @ParameterizedTest
    @MethodSource("providers")
    void selectorsAndChannelsBelongToTheProvider(SelectorProvider provider) throws IOException {
        try (Selector selector = provider.openSelector(); SocketChannel socket = provider.openSocketChannel();
                ServerSocketChannel server = provider.openServerSocketChannel();
                DatagramChannel datagram = provider.openDatagramChannel()) {
            assertSame(provider, selector.provider());
            assertSame(provider, socket.provider());
            assertSame(provider, server.provider());
            assertSame(provider, datagram.provider());
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void bothEndsOfAPipeBelongToTheProvider(SelectorProvider provider) throws IOException {
        Pipe pipe = provider.openPipe();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            assertSame(provider, source.provider());
            assertSame(provider, sink.provider());
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void anAcceptedChannelBelongsToTheProvider(SelectorProvider provider) throws IOException {
        try (ServerSocketChannel server = provider.openServerSocketChannel()) {
            server.bind(new InetSocketAddress("127.0.0.1", 0));
            try (SocketChannel client = provider.openSocketChannel()) {
                client.connect(server.getLocalAddress());
                try (SocketChannel accepted = server.accept()) {
                    assertSame(provider, accepted.provider());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void internetFamiliesOpen(SelectorProvider provider) throws IOException {
        for (ProtocolFamily family : List.of(StandardProtocolFamily.INET, StandardProtocolFamily.INET6)) {
            if (!jdkOpens(family)) {
                continue;
            }
            try (SocketChannel socket = provider.openSocketChannel(family);
                    ServerSocketChannel server = provider.openServerSocketChannel(family);
                    DatagramChannel datagram = provider.openDatagramChannel(family)) {
                assertSame(provider, socket.provider());
                assertSame(provider, server.provider());
                assertSame(provider, datagram.provider());
            }
        }
    }

    /** A machine may lack IPv6, Windows Unix-domain sockets. */
    private static boolean jdkOpens(ProtocolFamily family) throws IOException {
        try (SocketChannel socket = SocketChannel.open(family)) {
            return socket.isOpen();
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void unixDomainSocketsConnect(SelectorProvider provider, @TempDir Path folder) throws IOException {
        assumeTrue(jdkOpens(StandardProtocolFamily.UNIX), "the JDK has no Unix-domain sockets here");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = provider.openServerSocketChannel(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            try (SocketChannel client = provider.openSocketChannel(StandardProtocolFamily.UNIX)) {
                assertTrue(client.connect(address));
                try (SocketChannel accepted = server.accept()) {
                    assertSame(provider, accepted.provider());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void aFamilyThatIsNotSupportedIsRefused(SelectorProvider provider) {
        assertThrows(UnsupportedOperationException.class, () -> provider.openSocketChannel(Strange.FAMILY));
        assertThrows(UnsupportedOperationException.class, () -> provider.openServerSocketChannel(Strange.FAMILY));
        assertThrows(UnsupportedOperationException.class, () -> provider.openDatagramChannel(Strange.FAMILY));
        assertThrows(UnsupportedOperationException.class,
                () -> provider.openDatagramChannel(StandardProtocolFamily.UNIX));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void noFamilyAtAllIsRefused(SelectorProvider provider) {
        assertThrows(NullPointerException.class, () -> provider.openSocketChannel(null));
        assertThrows(NullPointerException.class, () -> provider.openServerSocketChannel(null));
        assertThrows(NullPointerException.class, () -> provider.openDatagramChannel(null));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void channelsAreOfTheClassesTheJdkUses(SelectorProvider provider) throws IOException {
        try (SocketChannel ours = provider.openSocketChannel(); SocketChannel theirs = SocketChannel.open()) {
            assertEquals(theirs.getClass(), ours.getClass());
        }
        try (DatagramChannel ours = provider.openDatagramChannel(); DatagramChannel theirs = DatagramChannel.open()) {
            assertEquals(theirs.getClass(), ours.getClass());
        }
    }

    /** One for the whole VM, or none; on Windows there never is one. */
    @ParameterizedTest
    @MethodSource("providers")
    void theInheritedChannelIsTheJdksOwn(SelectorProvider provider) throws IOException {
        assertSame(SelectorProvider.provider().inheritedChannel(), provider.inheritedChannel());
    }
}
