// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLHUP;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Channels and sockets that are not connected, or not bound. */
class UnconnectedTest {

    @EachMechanism
    void show(PollerLab lab) throws Exception {
        for (int asked : new int[] {0, POLLIN, POLLOUT, POLLIN | POLLOUT}) {
            Poller poller = lab.poller();
            Member socket = poller.add(lab.opened(lab.provider().openSocketChannel()), asked, "socket channel");
            Member server = poller.add(lab.opened(lab.provider().openServerSocketChannel()), asked, "server channel");
            Member datagram = poller.add(lab.opened(lab.provider().openDatagramChannel()), asked, "datagram channel");
            Member datagramSocket = poller.add(lab.opened(new DatagramSocket(null)), asked, "datagram socket");
            System.out.println(lab + " asked " + asked + ": " + Form.HANDLER.reports(poller, 0).stream()
                    .map(r -> r.attachment() + " 0x" + Integer.toHexString(r.events())).toList());
        }
        Poller poller = lab.poller();
        for (java.util.concurrent.Callable<?> each : java.util.List.<java.util.concurrent.Callable<?>>of(
                () -> poller.add(lab.opened(new Socket()), POLLIN), () -> poller.add(lab.opened(new ServerSocket()), POLLIN))) {
            System.out.println(assertThrows(IOException.class, each::call));
        }
    }
}
