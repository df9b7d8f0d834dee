// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Loop;
import dev.pollux.lab.Loop.Wait;
import dev.pollux.lab.LoopLab;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;

/** A loop that was just opened, or could not be. */
class OpeningTest {

    @EachLoop
    void aNewLoopIsOpenAndHasNothingReady(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        assertTrue(loop.isOpen());
        for (Wait wait : loop.waits()) {
            assertEquals(0, wait.await(0));
        }
    }

    @EachLoop
    void aThousandLoopsCanBeOpenedAndClosedWithoutALeak(LoopLab lab) throws Exception {
        int before = Descriptors.count();
        for (int i = 0; i < 1000; i++) {
            lab.open().close();
        }
        assertTrue(Descriptors.count() <= before, "descriptors: " + Descriptors.open());
    }

    /** As in a sandbox, whose operator is told of a way round it. */
    @EachLoop
    @Tag("beyond-jdk")
    void aMechanismThatTheSystemForbidsNamesTheProviderThatDoesWithoutItsCalls(LoopLab lab) throws Exception {
        for (Executable opening : List.<Executable>of(lab::open, lab::openBest)) {
            for (String call : List.of("epoll_create1", "epoll_ctl")) {
                for (String error : List.of("EPERM", "ENOSYS", "EACCES")) {
                    String message = refusal(lab, call, error, opening);
                    assertTrue(message.contains("name dev.pollux.PollSelectorProvider"), message);
                }
            }
        }
    }

    @EachLoop
    @Tag("beyond-jdk")
    void aWaitThatTheSystemForbidsNamesTheProviderThatDoesWithoutItsCalls(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        Io.feed(pipe);
        String message = refusal(lab, "epoll_wait,epoll_pwait,epoll_pwait2", "EPERM", () -> loop.await(0));
        assertTrue(message.contains("name dev.pollux.PollSelectorProvider"), message);
    }

    @EachLoop
    @Tag("beyond-jdk")
    void aLimitOfDescriptorsIsNoReasonForAnotherMechanism(LoopLab lab) throws Exception {
        String message = refusal(lab, "epoll_create1", "EMFILE", lab::open);
        assertTrue(message.contains("ulimit -n"), message);
        assertFalse(message.contains("PollSelectorProvider"), message);
    }

    /** What the exception says when these system calls fail. */
    private static String refusal(LoopLab lab, String calls, String error, Executable attempt) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll has system calls of its own here");
        try (Injection faults = Injection.failing(calls, error)) {
            String message = assertThrows(IOException.class, attempt).getMessage();
            assertTrue(message.contains(error), message);
            assertFalse(faults.calls().isEmpty());
            return message;
        }
    }

    @EachLoop
    @Tag("beyond-jdk")
    void everyDescriptorOfALoopIsClosedOnExec(LoopLab lab) throws Exception {
        List<String> before = Descriptors.open();
        lab.loop();
        List<String> fresh = Descriptors.more(before, Descriptors.open());
        assertFalse(fresh.isEmpty(), "a loop has descriptors");
        for (String entry : fresh) {
            assertFalse(Descriptors.isInherited(entry), entry);
        }
    }
}
