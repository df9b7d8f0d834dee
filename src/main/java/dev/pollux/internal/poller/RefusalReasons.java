// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.jdk.SourceNames;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;

/**
 * Makes exceptions of the codes with which a change was refused. A message names the member's source, and {@code
 * toString} of a source may be foreign code, or wait for a lock that a lingering close holds. So no method here is for
 * a thread that holds the leadership's monitor. Codes go out of it. Immutable. Allocates exceptions.
 */
final class RefusalReasons {
    /** Codes beside those of the system, which are positive. 0 means that nothing was refused. */
    static final int CLOSED = -1, IS_MEMBER = -2, NO_CAPACITY = -3, NOT_OPEN = -4;

    private final PollSet pollSet;
    private final int capacity;

    RefusalReasons(PollSet pollSet, int capacity) {
        this.pollSet = pollSet;
        this.capacity = capacity;
    }

    /** Throws unless the code is 0. The source is null if a number was added. */
    void throwIfRefused(Object source, int fd, int code) throws IOException {
        switch (code) {
            case 0:
                return;
            case IS_MEMBER:
                throw new IllegalStateException(name(source, fd) + " is a member already; modify changes its events");
            case NO_CAPACITY:
                throw new IllegalStateException("the capacity of " + capacity
                        + " is used up; remove a member, or open a larger Poller");
            default:
                throw exception(source, fd, code);
        }
    }

    /** {@return the exception for a code that is about one descriptor} */
    IOException exception(Object source, int fd, int code) {
        String name = name(source, fd);
        return switch (code) {
            case CLOSED -> new IOException("closed without being removed: " + name);
            case NOT_OPEN -> new IOException("not an open descriptor (EBADF): " + name);
            default -> pollSet.refusal(name, code);
        };
    }

    private static String name(Object source, int fd) {
        return source == null ? "descriptor " + fd : Printable.of(SourceNames.of(source, fd));
    }
}
