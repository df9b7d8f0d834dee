// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.Printable;
import java.util.Locale;

/**
 * A loop that does not return to its wait, though there are events or wakeups.
 *
 * @param loop   "selector 3 (epoll)" and the like
 * @param thread the thread's name
 * @param size   its keys, members or connections
 * @param nanos  how long it has not returned, so far
 * @param own    how much of that is its own: neither it nor a thread that it waits for lacked a processor then
 * @param owner  who holds the lock that the thread waits for
 * @param stack  what the thread does; suppressed in it, what the lock's owner does
 */
public record BlockedLoopReport(String loop, String thread, int size, long nanos, long own, LockOwner owner,
        ShownStack stack) implements Evidence {

    static BlockedLoopReport of(Loop loop, Thread thread, long nanos, long own, StackTraceElement... calls) {
        ShownStack stack = ShownStack.of(thread.getName(), calls);
        LockOwner owner = LockOwner.of(thread);
        if (owner.stack() != null) {
            stack.addSuppressed(owner.stack());
        }
        return new BlockedLoopReport(name(loop), thread.getName(), loop.size(), nanos, own, owner, stack);
    }

    /** {@return "selector 3 (epoll)" and the like} */
    static String name(Loop loop) {
        return loop.kind() + ' ' + loop.statistics().number() + " (" + loop.mechanism() + ')';
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f seconds", nanos / 1e9);
    }

    /** {@return a sentence of the time for which threads had no processor, after a blank; empty if it is little} */
    static String withoutProcessor(long nanos, long own) {
        long lacked = nanos - own;
        return lacked * Limits.NOTABLE < nanos ? "" : " (For " + seconds(lacked) + " of these it had no processor, or"
                + " waited for a thread that had none: this machine has too much to do.)";
    }

    @Override
    public Verdict.Kind kind() {
        return Verdict.Kind.BLOCKED;
    }

    @Override
    public String summary() {
        return LoopCode.ofProgram(stack.getStackTrace()).map(call -> "at " + call + '.').orElse("") + owner.sentence();
    }

    @Override
    public String toString() {
        return "Thread \"" + Printable.of(thread) + "\" of " + loop
                + " is blocked: it has not returned to its wait for " + seconds(nanos) + ", though there are events."
                + withoutProcessor(nanos, own) + owner.sentence()
                + (owner.isDeadlock() ? " None of its " + size + " channels will be served: restart the program, and"
                + " have all threads take these locks in one order; the stacks show where they are taken."
                : " Until it does, none of its " + size + " channels is served. Move what takes long to another thread;"
                + " the stack shows it.");
    }
}
