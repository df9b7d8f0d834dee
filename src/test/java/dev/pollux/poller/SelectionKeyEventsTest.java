// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Workbench.Connection;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** The constants of SelectionKey where events are asked for: they work, or are refused with the right ones. */
class SelectionKeyEventsTest {

    /** OP_ACCEPT is POLLHUP's number and OP_CONNECT POLLERR's, which alone need not be asked for. */
    @EachMechanism
    void theConstantsOfSelectionKeyAreRefusedWhereTheyWouldReportNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN);
        assertMistaken(poller, member, SelectionKey.OP_ACCEPT, "SelectionKey.OP_ACCEPT", "POLLIN");
        assertMistaken(poller, member, SelectionKey.OP_CONNECT, "SelectionKey.OP_CONNECT", "POLLOUT");
        assertMistaken(poller, member, SelectionKey.OP_CONNECT | SelectionKey.OP_ACCEPT, "POLLERR | POLLHUP",
                "POLLOUT if SelectionKey.OP_CONNECT was meant, or for POLLIN if SelectionKey.OP_ACCEPT was meant");
        assertMistaken(poller, member, Poller.POLLNVAL, "POLLNVAL", "ask for 0");
        String said = assertThrows(IllegalArgumentException.class, () -> member.modify(Poller.POLLNVAL)).getMessage();
        assertFalse(said.contains("SelectionKey"), said); // none of its constants has this number
        assertEquals(1, poller.size());
    }

    private static void assertMistaken(Poller poller, Member member, int events, String name, String right)
            throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(null);
            for (int wanted : new int[] {events, events | Poller.ONESHOT}) {
                for (Executable call : List.<Executable>of(() -> poller.add(server, wanted),
                        () -> poller.add(server, wanted, "attached"), () -> poller.add(server.socket(), wanted),
                        () -> poller.add(1, wanted), () -> member.modify(wanted), () -> member.events(wanted))) {
                    String said = assertThrows(IllegalArgumentException.class, call).getMessage();
                    assertTrue(said.contains(name) && said.contains(right), said);
                }
                assertFalse(poller.supports(wanted));
            }
        }
        assertEquals(POLLIN, member.events());
    }

    @EachMechanism
    void theOtherConstantsOfSelectionKeyAreReadyForReadingAndWriting(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        connection.far().write(ByteBuffer.allocate(1));
        member.modify(SelectionKey.OP_READ);
        assertEquals(new Report(member, POLLIN), Awaits.only(poller));
        member.modify(SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
    }
}
