// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;

/** Says what was found, wherever that is said: {@link Verdicts} has it. Safe for use by many threads. */
public interface Herald {
    /** {@return whether all is loaded and opened that is needed to say something}; the {@link WatchThread} asks. */
    boolean isPrepared();

    /**
     * Something was found; the log has it only if {@code isLogged}. Not called by the loop's own thread, which holds
     * locks: it takes its time.
     */
    void tell(Loop loop, Thread thread, Evidence evidence, boolean isLogged);

    /** Something that was {@linkplain #tell told} is over, or comes with it: only the log says it. */
    void log(Verdict.Kind kind, String message);

    /** There is something else that the administrator should know. */
    void warn(String message);

    /** Says what could not be said before; {@return whether all is said} */
    boolean sayPending();
}
