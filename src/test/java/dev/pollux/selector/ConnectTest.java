// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** OP_ACCEPT and OP_CONNECT. */
class ConnectTest {

    @EachProvider
    void aListenerIsReadyWhenAConnectionWaits(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        SelectionKey key = listener.register(selector, OP_ACCEPT);
        assertEquals(0, selector.selectNow());
        SocketChannel client = unconnected(lab);
        client.connect(listener.getLocalAddress());
        assertEquals(1, selector.select());
        assertTrue(key.isAcceptable());
        lab.opened(listener.accept());
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aListenerIsReadyAsLongAsAConnectionWaits(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.register(selector, OP_ACCEPT);
        for (int i = 0; i < 3; i++) {
            unconnected(lab).connect(listener.getLocalAddress());
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(1, selector.select());
            selector.selectedKeys().clear();
            lab.opened(listener.accept());
        }
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void aConnectionAcceptedByThePeerIsReported(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        SocketChannel client = unconnected(lab);
        client.configureBlocking(false);
        if (!client.connect(listener.getLocalAddress())) {
            SelectionKey key = client.register(selector, OP_CONNECT);
            assertEquals(1, selector.select());
            assertTrue(key.isConnectable());
            assertTrue(client.finishConnect());
        }
        assertTrue(client.isConnected());
        lab.opened(lab.start(listener::accept).result());
    }

    @EachProvider
    void aRefusedConnectionIsReportedAndFinishConnectThrows(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketAddress nobody = closedPort(lab);
        SocketChannel client = unconnected(lab);
        client.configureBlocking(false);
        SelectionKey key = client.register(selector, OP_CONNECT);
        if (refusedAtOnce(client, nobody)) {
            return;
        }
        assertEquals(1, selector.select());
        assertTrue(key.isConnectable());
        assertThrows(ConnectException.class, client::finishConnect);
        assertFalse(client.isOpen());
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.keys().size());
    }

    @EachProvider
    void anUnconnectedSocketThatOnlyWaitsToConnectIsNotReady(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SocketChannel client = unconnected(lab);
        client.configureBlocking(false);
        client.register(selector, OP_CONNECT);
        for (int i = 0; i < 10; i++) {
            selector.selectNow();
            for (SelectionKey key : selector.selectedKeys()) {
                assertFalse(key.isReadable());
                assertFalse(key.isWritable());
                assertFalse(key.isAcceptable());
            }
            selector.selectedKeys().clear();
        }
    }

    @EachProvider
    void aConnectionFinishedInAnotherThreadGoesOnToReadAndWrite(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 50; i++) {
            ServerSocketChannel listener = lab.listener();
            listener.configureBlocking(true);
            SocketChannel client = unconnected(lab);
            client.configureBlocking(false);
            client.connect(listener.getLocalAddress());
            SocketChannel far = lab.opened(listener.accept());
            SelectionKey key = client.register(selector, OP_CONNECT | OP_READ | OP_WRITE);
            Job<Boolean> finisher = lab.start(() -> finish(client));
            selector.selectNow();
            selector.selectedKeys().clear();
            assertTrue(finisher.result());
            key.interestOps(OP_READ | OP_WRITE);
            assertEquals(1, selector.select());
            assertTrue(key.isWritable());
            key.interestOps(OP_READ);
            Io.send(far);
            selector.selectedKeys().clear();
            assertEquals(1, selector.select());
            assertEquals(OP_READ, key.readyOps());
            client.close();
            selector.selectNow();
        }
    }

    @EachProvider
    void aConnectionFinishedWithoutAnInterestChangeIsReadable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.configureBlocking(true);
        SocketChannel client = unconnected(lab);
        client.configureBlocking(false);
        SelectionKey key = client.register(selector, OP_READ);
        selector.selectNow(); // ready or not: Linux reports a hang-up for a socket that was never connected
        client.connect(listener.getLocalAddress());
        SocketChannel far = lab.opened(listener.accept());
        selector.selectNow();
        selector.selectedKeys().clear();
        assertTrue(finish(client));
        Io.send(far);
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @EachProvider
    void aConnectionCarriesDataBothWaysThroughOneSelector(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ServerSocketChannel listener = lab.listener();
        listener.register(selector, OP_ACCEPT);
        SocketChannel client = unconnected(lab);
        client.configureBlocking(false);
        client.connect(listener.getLocalAddress());
        client.register(selector, OP_CONNECT);
        EchoLoop loop = new EchoLoop(selector, lab);
        assertEquals(100_000, loop.run(100_000));
    }

    private static boolean finish(SocketChannel client) throws IOException, InterruptedException {
        while (!client.finishConnect()) {
            Thread.sleep(1);
        }
        return true;
    }

    private static SocketChannel unconnected(Lab lab) throws IOException {
        return lab.opened(lab.provider().openSocketChannel());
    }

    private static SocketAddress closedPort(Lab lab) throws IOException {
        try (ServerSocketChannel listener = lab.provider().openServerSocketChannel()) {
            return listener.bind(Lab.loopback(0)).getLocalAddress();
        }
    }

    private static boolean refusedAtOnce(SocketChannel client, SocketAddress address) throws IOException {
        try {
            return client.connect(address);
        } catch (ConnectException e) {
            return true; // the loopback interface may answer within the call
        }
    }
}
