// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.tell.LoopLine;
import dev.pollux.tools.common.TextTable;
import dev.pollux.tools.common.TextTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The table that {@code top} shows: 121 columns wide, 127 if there are batches, fewer where there is less room. */
final class Table {
    private static final int THREAD_WIDTH = 18;
    private static final int BAR_WIDTH = 8;
    private static final int STATE_WIDTH = 15;

    private static final String BATCH = "BATCH";

    /** The utilization; one of the two. */
    private static final String BAR = "UTILIZATION", PERCENT = "UTIL";

    private static final TextTable<Interval> ALL = new TextTable<>(List.of(
            new Column<>("NR", 3, loop -> loop.now().value(LoopLine.LOOP)),
            new Column<>("THREAD", -THREAD_WIDTH, loop -> shorten(Printable.of(loop.now().text(LoopLine.THREAD)))),
            new Column<>("MECH", -8, loop -> Printable.of(loop.now().text(LoopLine.MECHANISM))),
            new Column<>("KEYS", 5, loop -> loop.now().value(LoopLine.KEYS)),
            new Column<>("SEL/S", 7, loop -> rate(loop.perSecond(Counter.SELECTIONS))),
            new Column<>("READY/S", 7, loop -> rate(loop.perSecond(Counter.READY))),
            new Column<>("WAKE/S", 7, loop -> rate(loop.perSecond(Counter.WAKEUPS))),
            new Column<>("CALL/S", 7, loop -> rate(loop.perSecond(Counter.WAKEUP_CALLS))),
            new Column<>(BATCH, 5, Table::batch),
            new Column<>(BAR, -14, loop -> bar(loop.utilization())),
            new Column<>(PERCENT, 4, loop -> percent(loop.utilization())),
            new Column<>("LONGEST", 8, loop -> time(loop.longestBusyNanos())),
            new Column<>("SPIN", 4, loop -> loop.now().value(Counter.SPINS)),
            new Column<>("REFUSE", 6, loop -> loop.now().value(Counter.REFUSALS)),
            new Column<>("STATE", -STATE_WIDTH, Table::state)));

    /** What is left out where there is no room for all, one after the other. */
    private static final List<String> LEFT_OUT =
            List.of("MECH", "CALL/S", "REFUSE", "SPIN", "WAKE/S", "LONGEST", BATCH, "READY/S");

    private Table() {
    }

    /** {@return the lines of the table, the heading first, with as many columns as this width has room for} */
    static List<String> of(List<Interval> loops, int width) {
        boolean hasBatches = loops.stream().anyMatch(loop -> loop.now().value(Counter.BATCHES) > 0);
        TextTable<Interval> all = hasBatches ? ALL : ALL.without(BATCH);
        TextTable<Interval> table = all.without(PERCENT);
        if (table.width() > width) {
            table = all.without(BAR);
        }
        for (String heading : LEFT_OUT) {
            table = table.width() > width ? table.without(heading) : table;
        }
        List<String> lines = new ArrayList<>(List.of(table.head()));
        loops.stream().map(table::row).forEach(lines::add);
        if (loops.isEmpty()) {
            lines.add("no selector, Poller or StreamServer is open");
        }
        return lines;
    }

    /** The end of a thread's name tells more than its middle: pools number their threads. */
    private static String shorten(String name) {
        if (name.length() <= THREAD_WIDTH) {
            return name;
        }
        int half = THREAD_WIDTH / 2 - 1;
        return name.substring(0, half) + ".." + name.substring(name.length() - half);
    }

    /** Writes in a batch, on average; nothing if there was none. */
    private static String batch(Interval loop) {
        double batches = loop.perSecond(Counter.BATCHES);
        return batches == 0 ? "-" : rate(loop.perSecond(Counter.DEFERRED_WRITES) / batches);
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond >= 10 || perSecond == 0 ? "%.0f" : "%.1f", perSecond);
    }

    /** {@return in words what a narrow table has no room for} */
    static String details(Interval loop) {
        return rate(loop.perSecond(Counter.WAKEUPS)) + " wakeups/s (" + rate(loop.perSecond(Counter.WAKEUP_CALLS))
                + " calls), longest " + time(loop.longestBusyNanos()) + ", spins " + loop.now().value(Counter.SPINS)
                + ", refused " + loop.now().value(Counter.REFUSALS);
    }

    /** {@return 0.42 as {@code [###.....]  42%}} */
    static String bar(double share) {
        int full = (int) Math.round(share * BAR_WIDTH);
        return '[' + "#".repeat(full) + ".".repeat(BAR_WIDTH - full) + ']'
                + String.format(Locale.ROOT, "%5s", percent(share));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f%%", share * 100);
    }

    /** {@return a time in the unit that suits it} */
    static String time(long nanos) {
        double seconds = (double) nanos / TimeUnit.SECONDS.toNanos(1);
        if (seconds < 1) {
            return String.format(Locale.ROOT, seconds < 0.1 ? "%.1f ms" : "%.0f ms", seconds * 1000);
        }
        if (seconds < 100) {
            return String.format(Locale.ROOT, "%.1f s", seconds);
        }
        return seconds < 6000 ? Math.round(seconds / 60) + " min" : Math.round(seconds / 3600) + " h";
    }

    /** {@return what it does or what is wrong with it, in 15 characters, and for how long} */
    static String state(Interval interval) {
        Sample loop = interval.now();
        if (loop.isInTrouble()) {
            String verdict = loop.text(LoopLine.VERDICT);
            String since = verdict + ' ' + time(loop.value(LoopLine.VERDICT_NANOS));
            return since.length() <= STATE_WIDTH ? since : verdict;
        }
        if (loop.isUnused()) {
            return "unused";
        }
        String what = loop.is(LoopLine.WAITING) ? "waiting" : interval.isIdle() ? "idle" : "busy";
        return what + ' ' + time(loop.value(LoopLine.WAITING_NANOS) + loop.value(LoopLine.BUSY_NANOS));
    }
}
