// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.insight.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The table that {@code top} shows, 120 columns wide. Stateless. */
final class Table {
    private static final int THREAD_WIDTH = 18;
    private static final int BAR_WIDTH = 8;
    private static final String ROW = "%3s %-" + THREAD_WIDTH + "s %-8s %5s %7s %7s %7s %7s %-14s %8s %4s %6s %s";

    private Table() {
    }

    /** {@return the lines of the table, the heading first} */
    static List<String> of(List<Interval> loops) {
        List<String> lines = new ArrayList<>();
        lines.add(row("NR", "THREAD", "MECH", "KEYS", "SEL/S", "READY/S", "WAKE/S", "CALL/S", "UTILIZATION", "LONGEST",
                "SPIN", "REFUSE", "STATE"));
        loops.forEach(loop -> lines.add(row(loop)));
        if (loops.isEmpty()) {
            lines.add("no selector, Poller or InterruptServer is open");
        }
        return lines;
    }

    private static String row(Interval loop) {
        Sample now = loop.now();
        return row(now.value(Sample.LOOP), shortened(Printable.of(now.text(Sample.THREAD))),
                Printable.of(now.text(Sample.MECHANISM)), now.value(Sample.KEYS), rate(loop.perSecond(Sample.SELECTIONS)),
                rate(loop.perSecond(Sample.READY)), rate(loop.perSecond(Sample.WAKEUPS)),
                rate(loop.perSecond(Sample.WAKEUP_CALLS)), bar(loop.utilization()),
                time(now.value(Sample.LONGEST_BUSY_NANOS)), now.value(Sample.SPINS), now.value(Sample.REFUSALS), state(now));
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, ROW, cells);
    }

    /** The end of a thread's name tells more than its middle: pools number their threads. */
    private static String shortened(String name) {
        if (name.length() <= THREAD_WIDTH) {
            return name;
        }
        int half = THREAD_WIDTH / 2 - 1;
        return name.substring(0, half) + ".." + name.substring(name.length() - half);
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond >= 10 || perSecond == 0 ? "%.0f" : "%.1f", perSecond);
    }

    /** {@return 0.42 as {@code [###.....]  42%}} */
    static String bar(double share) {
        int full = (int) Math.round(share * BAR_WIDTH);
        return '[' + "#".repeat(full) + ".".repeat(BAR_WIDTH - full) + ']'
                + String.format(Locale.ROOT, "%4.0f%%", share * 100);
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

    private static String state(Sample loop) {
        if (loop.is(Sample.LOST_THREAD)) {
            return "thread lost";
        }
        if (loop.isUnused()) {
            return "unused";
        }
        String what = loop.is(Sample.STALLED) ? "stalled " : loop.is(Sample.WAITING) ? "waiting " : "busy ";
        return what + time(loop.value(Sample.WAITING_NANOS) + loop.value(Sample.BUSY_NANOS));
    }
}
