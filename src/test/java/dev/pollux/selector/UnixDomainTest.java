// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Unix-domain sockets. */
class UnixDomainTest {

    private Path folder;
    private UnixDomainSocketAddress address;

    @BeforeEach
    void chooseAnAddress() throws Exception {
        try {
            SocketChannel.open(StandardProtocolFamily.UNIX).close();
        } catch (UnsupportedOperationException e) {
            abort("the JDK has no Unix-domain sockets here");
        }
        folder = Files.createTempDirectory("pollux");
        address = UnixDomainSocketAddress.of(folder.resolve("socket"));
    }

    @AfterEach
    void removeTheAddress() throws Exception {
        if (folder == null) {
            return;
        }
        Files.deleteIfExists(address.getPath());
        Files.delete(folder);
    }

    @EachProvider
    void aListenerIsReadyWhenAConnectionWaits(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = listener(lab);
        SelectionKey key = listener.register(selector, OP_ACCEPT);
        assertEquals(0, selector.selectNow());
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        SocketChannel client = lab.opened(lab.provider().openSocketChannel(StandardProtocolFamily.UNIX));
        client.connect(address);
        assertEquals(1, job.result());
        assertTrue(key.isAcceptable());
        lab.opened(listener.accept());
    }

    @EachProvider
    void aConnectionIsReadableWritableAndEnds(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = connection(lab);
        SelectionKey key = connection.near().register(selector, OP_READ | OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
        key.interestOps(OP_READ);
        selector.selectedKeys().clear();
        Io.send(connection.far());
        assertEquals(1, selector.select());
        assertEquals(1, connection.near().read(ByteBuffer.allocate(8)));
        selector.selectedKeys().clear();
        connection.far().close();
        assertEquals(1, selector.select());
        assertEquals(-1, connection.near().read(ByteBuffer.allocate(8)));
    }

    @EachProvider
    void aHalfClosedConnectionStillCarriesDataTheOtherWay(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = connection(lab);
        connection.near().shutdownOutput();
        connection.near().register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        Io.send(connection.far());
        assertEquals(1, selector.select());
    }

    @EachProvider
    void closingARegisteredConnectionFreesItsDescriptor(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Lab.Connection connection = connection(lab);
        connection.near().register(selector, OP_READ);
        selector.selectNow();
        int before = Descriptors.count();
        connection.near().close();
        selector.selectNow();
        assertEquals(before - 1, Descriptors.count());
    }

    private ServerSocketChannel listener(Lab lab) throws Exception {
        ServerSocketChannel listener =
                lab.opened(lab.provider().openServerSocketChannel(StandardProtocolFamily.UNIX));
        listener.bind(address).configureBlocking(false);
        return listener;
    }

    private Lab.Connection connection(Lab lab) throws Exception {
        ServerSocketChannel listener = listener(lab);
        listener.configureBlocking(true);
        SocketChannel far = lab.opened(lab.provider().openSocketChannel(StandardProtocolFamily.UNIX));
        far.connect(address);
        SocketChannel near = lab.opened(listener.accept());
        near.configureBlocking(false);
        return new Lab.Connection(near, far);
    }
}
