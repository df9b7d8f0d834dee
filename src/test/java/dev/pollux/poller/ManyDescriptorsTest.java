// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** More descriptors than any fixed buffer holds. */
class ManyDescriptorsTest {

    private static final int MANY = 1500;

    @EachMechanism
    void everyFormThatHasRoomReportsAllThatAreReadyAtOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, POLLOUT);
        for (int i = 0; i < 3; i++) {
            assertEquals(MANY, Form.HANDLER.await(poller, 0));
            assertEquals(MANY, Form.ITERABLE.await(poller, 0));
            assertEquals(MANY, poller.await(new int[MANY], new short[MANY], 0, NANOSECONDS));
        }
    }

    @EachMechanism
    void oneShotMembersAreReportedOnceEachInSmallArrays(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, POLLOUT | ONESHOT);
        int[] descriptors = new int[100];
        Set<Integer> seen = new TreeSet<>();
        while (seen.size() < MANY) {
            int n = poller.await(descriptors, new short[100], Awaits.PATIENCE, NANOSECONDS);
            assertTrue(n > 0, "only " + seen.size() + " were reported");
            for (int i = 0; i < n; i++) {
                assertTrue(seen.add(descriptors[i]), "reported twice");
            }
        }
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void oneAmongManyIsFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Member> members = add(lab, poller, POLLIN);
        DatagramChannel sender = lab.datagram();
        for (int i = 0; i < MANY; i += 97) {
            DatagramChannel channel = (DatagramChannel) members.get(i).attachment();
            sender.send(ByteBuffer.allocate(1), channel.getLocalAddress());
            assertEquals(members.get(i), Awaits.only(poller).member());
            channel.receive(ByteBuffer.allocate(8));
        }
    }

    @EachMechanism
    void manyAreRemovedAndAddedAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Member> members = add(lab, poller, POLLOUT);
        for (int i = 0; i < MANY; i += 2) {
            members.get(i).remove();
        }
        assertEquals(MANY / 2, poller.size());
        assertEquals(MANY / 2, Awaits.poll(poller));
        for (int i = 0; i < MANY; i += 2) {
            poller.add((DatagramChannel) members.get(i).attachment(), POLLOUT);
        }
        assertEquals(MANY, Awaits.poll(poller));
    }

    /** Members whose attachments are their channels. */
    private static List<Member> add(PollerLab lab, Poller poller, int events) throws Exception {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            DatagramChannel channel = lab.datagram();
            members.add(poller.add(channel, events, channel));
        }
        return members;
    }
}
