// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Job;
import dev.pollux.lab.Loop;
import dev.pollux.lab.LoopLab;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;

/** Opening a loop when the system refuses a part of it. */
class DescriptorLimitTest {

    private static final String OPENING_CALLS =
            "epoll_create1,?epoll_create,eventfd2,?eventfd,pipe2,?pipe,epoll_ctl,socketpair,timerfd_create";

    /** A pipe takes 65536 bytes, and a wakeup eight of them. */
    private static final int MORE_THAN_A_PIPE_TAKES = 10_000;

    @EachLoop
    @Tag("beyond-jdk")
    void openingLoopsUpToTheLimitThrowsAndLeaksNothing(LoopLab lab) throws Exception {
        assumeFalse(Descriptors.WINDOWS, "Windows knows no limit of descriptors");
        Deque<DatagramChannel> channels = new ArrayDeque<>();
        try {
            lab.useUpDescriptors(channels);
            for (int free = 1; free <= 7; free++) {
                for (int i = 0; i < free; i++) {
                    channels.pop().close();
                }
                openUntilRefused(lab);
                int before = channels.size();
                lab.useUpDescriptors(channels);
                assertEquals(free, channels.size() - before, "descriptors that were free and are free again");
            }
        } finally {
            for (DatagramChannel channel : channels) {
                channel.close();
            }
        }
        assertEquals(0, lab.loop().await(0));
    }

    private static void openUntilRefused(LoopLab lab) throws IOException {
        Deque<Loop> loops = new ArrayDeque<>();
        try {
            IOException thrown = assertThrows(IOException.class, () -> {
                while (true) {
                    loops.push(lab.open());
                }
            });
            assertTrue(thrown.getMessage().contains("(EMFILE)"), thrown.toString());
        } finally {
            for (Loop loop : loops) {
                loop.close();
            }
        }
    }

    @EachLoop
    @Tag("beyond-jdk")
    void whicheverCallOfOpeningFailsItIsReportedAndTheOthersAreUndone(LoopLab lab) throws Exception {
        Set<String> calls = new TreeSet<>();
        try (Injection watch = Injection.watching(OPENING_CALLS)) {
            lab.open().close();
            watch.calls().forEach(call -> calls.add(call.replaceAll("^(?:\\d+ +)?(\\w+)\\(.*", "$1")));
        }
        assertFalse(calls.isEmpty(), "opening a loop makes system calls");
        for (String call : calls) {
            int before = Descriptors.count();
            try (Injection faults = Injection.failing(call, "ENOMEM")) {
                IOException thrown = assertThrows(IOException.class, lab::open, call);
                assertTrue(thrown.getMessage().contains("(ENOMEM)"), call + ": " + thrown);
                assertEquals(1, faults.calls().size());
            }
            assertEquals(before, Descriptors.count(), call + " failed: " + Descriptors.open());
        }
    }

    @EachLoop
    @Tag("beyond-jdk")
    void whereASandboxRefusesEventfdsAPipeWakesTheLoop(LoopLab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "the emulation needs an eventfd itself");
        for (String error : List.of("EPERM", "ENOSYS")) {
            Loop loop;
            try (Injection sandbox = Injection.failing("eventfd2", error)) {
                loop = lab.loop();
                assertEquals(1, sandbox.calls().size());
            }
            for (int i = 0; i < MORE_THAN_A_PIPE_TAKES; i++) {
                loop.wakeup();
                assertEquals(0, loop.await());
            }
            try (Job<Integer> waiting = new Job<>(loop::await)) {
                waiting.awaitSelecting();
                loop.wakeup();
                assertEquals(0, waiting.result());
            }
            loop.close();
        }
    }
}
