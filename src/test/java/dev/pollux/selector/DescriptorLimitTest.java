// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;

/** Opening a selector when the system refuses a part of it. */
class DescriptorLimitTest {

    private static final String OPENING_CALLS =
            "epoll_create1,?epoll_create,eventfd2,?eventfd,pipe2,?pipe,epoll_ctl,socketpair,timerfd_create";

    /** A pipe takes 65536 bytes, and a wakeup eight of them. */
    private static final int MORE_THAN_A_PIPE_TAKES = 10_000;

    @EachProvider
    void openingSelectorsUpToTheLimitThrowsAndLeaksNothing(Lab lab) throws Exception {
        assumeFalse(Descriptors.WINDOWS, "Windows knows no limit of descriptors");
        Deque<DatagramChannel> channels = new ArrayDeque<>();
        try {
            fillUp(lab, channels);
            for (int free = 1; free <= 7; free++) {
                for (int i = 0; i < free; i++) {
                    channels.pop().close();
                }
                openUntilRefused(lab);
                assertEquals(free, fillUp(lab, channels), "descriptors that were free and are free again");
            }
        } finally {
            for (DatagramChannel channel : channels) {
                channel.close();
            }
        }
        assertEquals(0, lab.selector().selectNow());
    }

    /**
     * Opens channels until the limit is reached, and returns how many there was room for. More than once, because a
     * thread of the VM may have had a file open for a moment (the memory limit of its cgroup, a class).
     */
    private static int fillUp(Lab lab, Deque<DatagramChannel> channels) throws InterruptedException {
        int before = channels.size();
        for (int time = 0; time < 3; time++) {
            assertThrows(IOException.class, () -> {
                while (true) {
                    channels.push(lab.provider().openDatagramChannel());
                }
            });
            Thread.sleep(10);
        }
        return channels.size() - before;
    }

    private static void openUntilRefused(Lab lab) throws IOException {
        Deque<Selector> selectors = new ArrayDeque<>();
        try {
            IOException thrown = assertThrows(IOException.class, () -> {
                while (true) {
                    selectors.push(lab.provider().openSelector());
                }
            });
            assertTrue(thrown.getMessage().contains("(EMFILE)"), thrown.toString());
        } finally {
            for (Selector selector : selectors) {
                selector.close();
            }
        }
    }

    @EachProvider
    @Tag("beyond-jdk")
    void whicheverCallOfOpeningFailsItIsReportedAndTheOthersAreUndone(Lab lab) throws Exception {
        Set<String> calls = new TreeSet<>();
        try (Injection watch = Injection.watching(OPENING_CALLS)) {
            lab.provider().openSelector().close();
            watch.calls().forEach(call -> calls.add(call.replaceAll("^(?:\\d+ +)?(\\w+)\\(.*", "$1")));
        }
        assertFalse(calls.isEmpty(), "opening a selector makes system calls");
        for (String call : calls) {
            int before = Descriptors.count();
            try (Injection faults = Injection.failing(call, "ENOMEM")) {
                IOException thrown = assertThrows(IOException.class, lab.provider()::openSelector, call);
                assertTrue(thrown.getMessage().contains("(ENOMEM)"), call + ": " + thrown);
                assertEquals(1, faults.calls().size());
            }
            assertEquals(before, Descriptors.count(), call + " failed: " + Descriptors.open());
        }
    }

    @EachProvider
    @Tag("beyond-jdk")
    void whereASandboxRefusesEventfdsAPipeWakesTheSelector(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "the emulation needs an eventfd itself");
        for (String error : List.of("EPERM", "ENOSYS")) {
            Selector selector;
            try (Injection sandbox = Injection.failing("eventfd2", error)) {
                selector = lab.selector();
                assertEquals(1, sandbox.calls().size());
            }
            for (int i = 0; i < MORE_THAN_A_PIPE_TAKES; i++) {
                assertEquals(0, selector.wakeup().select());
            }
            try (Job<Integer> selecting = new Job<>(selector::select)) {
                selecting.awaitSelecting();
                selector.wakeup();
                assertEquals(0, selecting.result());
            }
            selector.close();
        }
    }
}
