// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.SourceNames;
import java.nio.channels.SelectableChannel;

/**
 * A key that makes its selector spin, as its thread has found it. The {@link WatchThread} makes the report: texts of
 * the program's objects are its code, to find a handler takes some milliseconds, and the selecting thread may be near
 * the end of its stack.
 */
record SpinFound(Loop selector, SpinKind why, Thread thread, SelectableChannel channel, int interest, int ready,
        Object attachment, long unread, long rate, boolean isUsed, String before, boolean isLast, boolean isLogged)
        implements Runnable {

    @Override
    public void run() {
        SpinReport report = new SpinReport(why, selector.statistics().number(), selector.mechanism(), thread.getName(),
                Printable.of(SourceNames.of(channel)), interest, ready,
                attachment == null ? null : attachment.getClass().getName(), unread, rate, isUsed, null, before,
                isLast ? " Further keys of this selector are counted, and not logged." : "");
        Verdicts.found(selector, report);
        Verdicts.tell(selector, thread, withHandler(report), isLogged);
    }

    private SpinReport withHandler(SpinReport report) {
        try {
            return report.withHandler(attachment == null ? null : HandlerFinder.describe(attachment),
                    HandlerFinder.stack(thread));
        } catch (RuntimeException | Error e) {
            Unexpected.caught("the search for a key's handler", e);
            return report; // then it is told without
        }
    }
}
