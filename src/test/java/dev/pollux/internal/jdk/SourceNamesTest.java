// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.lab.Descriptors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An operator can tell from a name which socket it is. */
class SourceNamesTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @BeforeAll
    static void gainAccess() throws Exception {
        new PolluxSelectorProvider().openSelector().close();
    }

    @Test
    void aDatagramChannelIsNamedByItsAddresses() throws Exception {
        try (DatagramChannel near = DatagramChannel.open(); DatagramChannel far = DatagramChannel.open()) {
            assertEquals("java.nio.channels.DatagramChannel[local=none, remote=none]", SourceNames.of(near));
            near.bind(ANY_PORT);
            String local = near.getLocalAddress().toString();
            assertEquals("java.nio.channels.DatagramChannel[local=" + local + ", remote=none]", SourceNames.of(near));
            far.bind(ANY_PORT);
            near.connect(far.getLocalAddress());
            String remote = far.getLocalAddress().toString();
            assertTrue(SourceNames.of(near).endsWith(", remote=" + remote + ']'), SourceNames.of(near));
        }
    }

    /** The name server of this process would have to be asked for the name of 192.0.2.1 (RFC 5737). */
    @Test
    void noNameIsLookedUp() throws Exception {
        InetAddress foreign = InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1});
        try (DatagramChannel channel = DatagramChannel.open().connect(new InetSocketAddress(foreign, 9))) {
            assertTrue(SourceNames.of(channel).endsWith("remote=/192.0.2.1:9]"), SourceNames.of(channel));
        }
    }

    @Test
    void anEndOfAPipeIsNamedByItsDescriptor() throws Exception {
        Pipe pipe = Pipe.open();
        try (SelectableChannel source = pipe.source(); SelectableChannel sink = pipe.sink()) {
            int number = Descriptors.numberOf(source);
            assertEquals("java.nio.channels.Pipe.SourceChannel (descriptor " + number + ')', SourceNames.of(source));
            assertEquals(SourceNames.of(source), SourceNames.of(source, number));
            assertEquals("java.nio.channels.Pipe.SinkChannel (descriptor " + Descriptors.numberOf(sink) + ')',
                    SourceNames.of(sink));
        }
    }

    @Test
    void aClosedChannelHasANameToo() throws Exception {
        DatagramChannel datagram = DatagramChannel.open();
        datagram.close();
        assertEquals("java.nio.channels.DatagramChannel[closed]", SourceNames.of(datagram));
        assertEquals("java.nio.channels.DatagramChannel[closed] (descriptor 7)", SourceNames.of(datagram, 7));
        Pipe pipe = Pipe.open();
        pipe.source().close();
        pipe.sink().close();
        assertEquals("java.nio.channels.Pipe.SourceChannel[closed]", SourceNames.of(pipe.source()));
    }

    @Test
    void whatTheJdkNamesWellKeepsItsName() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_PORT)) {
            assertEquals(server.toString(), SourceNames.of(server));
            assertEquals(server + " (descriptor 7)", SourceNames.of(server, 7));
        }
    }
}
