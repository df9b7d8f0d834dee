// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.SourceNames;
import java.nio.channels.SelectableChannel;
import sun.nio.ch.SelectionKeyImpl;

/**
 * A key that makes its selector spin, as its thread has found it. The {@link WatchThread} makes the report: texts of
 * the program's objects are its code, to find a handler takes some milliseconds, and the selecting thread may be near
 * the end of its stack.
 */
record SpinFound(Loop selector, Thread thread, SelectableChannel channel, Object attachment, SpinReport raw,
        boolean isLogged) implements Runnable {

    /**
     * A key makes a selector spin, {@code rate} times a second: false if that could not be handed over. Guarded by the
     * selector's lock.
     *
     * @param before what the log says before it
     */
    static boolean handOver(Loop selector, Suspect suspect, long rate, String before) {
        try {
            SelectionKeyImpl key = suspect.key;
            Thread thread = Thread.currentThread();
            LoopStatistics statistics = selector.statistics();
            long count = statistics.count(Counter.SPINS) + 1;
            SpinReport report = new SpinReport(suspect.kind(), statistics.number(), selector.mechanism(),
                    thread.getName(), "", key == null ? 0 : key.nioInterestOps(), key == null ? 0 : key.nioReadyOps(),
                    null, suspect.unread(), rate, suspect.isUsed(), null, before, count == Limits.MAX_KEYS_TOLD
                    ? " Further keys of this selector are counted, and not logged." : "");
            boolean isTaken = WatchThread.submit(new SpinFound(selector, thread, suspect.channel,
                    key == null ? null : key.attachment(), report, count <= Limits.MAX_KEYS_TOLD));
            statistics.add(Counter.SPINS, isTaken ? 1 : 0);
            return isTaken;
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            return false;
        }
    }

    @Override
    public void run() {
        SpinReport report = raw.with(Printable.of(SourceNames.of(channel)),
                attachment == null ? null : attachment.getClass().getName(), null);
        Verdicts.of(selector).found(report);
        Verdicts.tell(selector, thread, withHandler(report), isLogged);
    }

    private SpinReport withHandler(SpinReport report) {
        try {
            return report.with(report.channel(), attachment == null ? null : HandlerFinder.describe(attachment),
                    HandlerFinder.stack(thread));
        } catch (RuntimeException | Error e) {
            Unexpected.caught("the search for a key's handler", e);
            return report; // then it is told without
        }
    }
}
