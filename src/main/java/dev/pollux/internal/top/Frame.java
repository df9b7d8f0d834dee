// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.count.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The lines that are shown of one interval, from the first to the last. Immutable.
 *
 * @param first the line above the table
 * @param rows  the rows of the table, and the loop of each one
 * @param after what stands below it
 */
record Frame(String first, List<String> rows, List<Interval> loops, List<String> after) {
    /** The first line, the heading, and two for what stands below. */
    private static final int OTHERS = 4;

    private static final int MIN_ROWS = 1;

    /** {@return a frame for a terminal of this size; the stack is that of the loop that the view says} */
    static Frame of(String first, View view, List<Interval> all, List<String> stack, TerminalSize size) {
        if (view.showsHelp()) {
            return new Frame(first, List.of(), List.of(), View.HELP);
        }
        List<Interval> rows = view.rows(all, size::hasRoomFor);
        List<Interval> some = window(rows, view, size);
        List<String> after = new ArrayList<>();
        if (rows.isEmpty() && !all.isEmpty()) {
            after.add("no loop is in use, or none matches");
        }
        String others = others(rows.size() - some.size(), view.folded(all));
        if (!others.isEmpty()) {
            after.add(others);
        }
        if (!view.showsDetails()) {
            rows.stream().filter(loop -> loop.now().isInTrouble())
                    .forEach(loop -> after.add("Loop " + loop.number() + ' ' + Printable.of(why(loop))));
        }
        view.stackOf(all).ifPresent(loop -> {
            after.add("");
            String name = (view.isChosen(loop) ? "Loop " : "The busiest is loop ") + loop.number();
            String none = loop.now().isUnused() ? "; no thread has used it" : "; its thread has ended";
            after.add(name + (stack.isEmpty() ? none : ":"));
            if (view.showsDetails()) {
                after.add(String.format(Locale.ROOT, "%+d keys, ", view.keyGrowth(loop)) + Table.details(loop));
                after.addAll(size.wrap(Printable.of(why(loop))));
                after.addAll(size.wrap(Printable.of(loop.now().text(Sample.LOCK))));
            }
            stack.forEach(call -> after.add("    " + Printable.of(call)));
        });
        List<String> table = Table.of(some, size.width(), view.order().heading());
        return new Frame(first, rows.isEmpty() && !all.isEmpty() ? table.subList(0, 1) : table, some, after);
    }

    /** {@return what is wrong with a loop and what shows it; the key that made it spin last, if nothing is wrong now} */
    private static String why(Interval loop) {
        Sample now = loop.now();
        if (now.isInTrouble()) {
            return now.text(Sample.VERDICT) + ": " + now.text(Sample.EVIDENCE);
        }
        String last = now.text(Sample.LAST_SPIN);
        return last.isEmpty() ? "" : "made to spin last by: " + last;
    }

    /** {@return those of the rows that there is room for, the chosen one among them; most of it is the stack's} */
    private static List<Interval> window(List<Interval> rows, View view, TerminalSize size) {
        if (size.hasRoomFor(rows.size()) && view.stackOf(rows).isEmpty()) {
            return rows;
        }
        int lines = size.rows() - OTHERS;
        int room = Math.max(MIN_ROWS, Math.min(rows.size(), view.stackOf(rows).isEmpty() ? lines - 1 : lines / 3));
        int chosen = 0;
        while (chosen < rows.size() && !view.isChosen(rows.get(chosen))) {
            chosen++;
        }
        int from = chosen == rows.size() ? 0 : Math.max(0, chosen - room + 1);
        return rows.subList(from, Math.min(rows.size(), from + room));
    }

    private static String others(int more, long folded) {
        List<String> others = new ArrayList<>();
        if (more > 0) {
            others.add(more + " more");
        }
        if (folded > 0) {
            others.add(folded + " idle or unused (f shows them)");
        }
        return others.isEmpty() ? "" : "and " + String.join(", ", others);
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(first));
        lines.addAll(rows);
        lines.addAll(after);
        return lines;
    }

    /** {@return the loop whose row this line is; null if it is none} */
    Interval loop(int line) {
        int row = line - 2; // the first line and the heading
        return row >= 0 && row < loops.size() ? loops.get(row) : null;
    }
}
