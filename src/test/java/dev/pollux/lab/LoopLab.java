// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;

/** A workbench of one mechanism under test, for a selector or a Poller on it. */
public abstract class LoopLab extends Workbench {

    protected LoopLab(SelectorProvider provider) {
        super(provider);
    }

    /** A lab of the same kind that has opened nothing. */
    protected abstract LoopLab another();

    /** The mechanism's name, as the library has it. */
    public abstract String mechanism();

    /** Opens a loop, which is the caller's to close. */
    public abstract Loop open() throws IOException;

    /** The same on the best mechanism of this system. */
    public abstract Loop openBest() throws IOException;

    public final Loop loop() throws IOException {
        return opened(open());
    }

    @Override
    public final void warmUp() throws IOException {
        try (LoopLab other = another()) {
            Loop loop = other.loop();
            loop.watch(other.tcp().near());
            loop.await(0);
            other.pipe().source().close();
        }
    }

    public final boolean isEPoll() {
        return mechanism().equals("epoll");
    }

    /** Emulated on Linux: a call of kevent is several system calls, one of them getppid. */
    public final boolean isKQueue() {
        return mechanism().equals("kqueue");
    }

    public final boolean isDevPoll() {
        return mechanism().equals("/dev/poll");
    }

    public final boolean isWEPoll() {
        return mechanism().equals("wepoll");
    }

    public final boolean isPoll() {
        return mechanism().equals("poll");
    }

    /** Whether the system reports a descriptor that was closed without being removed. */
    public final boolean tellsOfClosing() {
        return isPoll() || isDevPoll();
    }

    /** The call that an exception about a refused change names. */
    public final String callInMessages() {
        return isKQueue() ? "kevent" : isDevPoll() ? "write to /dev/poll" : isPoll() ? "poll" : "epoll_ctl";
    }

    /** Skips a test that counts changes of registrations, or has them fail, where no change is a system call. */
    public final void needsRegistrations() {
        assumeTrue(!isPoll() && !isWEPoll(), "the mechanism keeps no registrations in the kernel");
    }

    /** Skips a test of a full pipe whose reader goes, on a kqueue that is emulated as NetBSD has it. */
    public final void needsEndOfFullPipe() {
        assumeFalse(isKQueue() && "netbsd".equals(System.getenv("POLLUX_KQUEUE_FAMILY")),
                "NetBSD does not wake who waits to write into a full pipe when its reader goes");
    }
}
