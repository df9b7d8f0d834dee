// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.tell.LoopLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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

    /** The part of a terminal's lines that may say what is wrong: one of three. A long reason is cut then. */
    private static final int SHARE = 3;

    /** {@return a frame for a terminal of this size; the stack is that of the loop that the view says} */
    static Frame of(String first, View view, List<Interval> all, List<String> stack, TerminalSize size) {
        if (view.showsHelp()) {
            return new Frame(first, List.of(), List.of(), View.HELP);
        }
        List<Interval> rows = view.rows(all, size::hasRoomFor);
        List<String> reasons = reasons(rows, view.stackOf(all), size);
        List<Interval> some = window(rows, view, size, reasons.size());
        List<String> after = new ArrayList<>();
        if (rows.isEmpty() && !all.isEmpty()) {
            after.add("no loop is in use, or none matches");
        }
        String others = others(rows.size() - some.size(), view.folded(all));
        if (!others.isEmpty()) {
            after.add(others);
        }
        after.addAll(reasons);
        view.stackOf(all).ifPresent(loop -> after.addAll(of(loop, view, stack, size)));
        List<String> table = Table.of(some, size.width(), view.order().heading());
        return new Frame(first, rows.isEmpty() && !all.isEmpty() ? table.subList(0, 1) : table, some, after);
    }

    /** {@return what is wrong with each of the loops in trouble, but for the one that is shown with its stack} */
    private static List<String> reasons(List<Interval> rows, Optional<Interval> shown, TerminalSize size) {
        List<String> reasons = rows.stream()
                .filter(loop -> loop.now().isInTrouble() && !shown.equals(Optional.of(loop)))
                .map(loop -> "Loop " + loop.number() + ", " + why(loop)).toList();
        List<String> wrapped = reasons.stream().flatMap(reason -> size.wrap(reason).stream()).toList();
        int room = Math.max(1, size.rows() / SHARE);
        if (wrapped.size() <= room) {
            return wrapped;
        }
        List<String> some = new ArrayList<>(reasons.subList(0, Math.min(reasons.size(), room - 1)));
        some.add("(Enter shows all that is known of the loop that is chosen)");
        return some;
    }

    /** {@return what is shown of one loop: what is wrong, who woke it, its thread's stack} */
    private static List<String> of(Interval loop, View view, List<String> stack, TerminalSize size) {
        Sample now = loop.now();
        String name = (view.isChosen(loop) ? "Loop " : "The busiest is loop ") + loop.number();
        String none = now.isUnused() ? "; no thread has used it" : "; its thread has ended";
        List<String> lines = new ArrayList<>(List.of("", name + (stack.isEmpty() ? none : ":")));
        if (view.showsDetails()) {
            lines.add(String.format(Locale.ROOT, "%+d keys, ", view.keyGrowth(loop)) + Table.details(loop));
        }
        lines.addAll(size.wrap(why(loop)));
        String lock = Printable.of(now.text(LoopLine.LOCK));
        if (!now.text(LoopLine.EVIDENCE).contains(lock)) {
            lines.addAll(size.wrap(lock));
        }
        if (!now.text(LoopLine.GATE).isEmpty()) {
            lines.addAll(size.wrap("gate: " + Printable.of(now.text(LoopLine.GATE))));
        }
        stack.forEach(call -> lines.add("    " + Printable.of(call)));
        return lines;
    }

    /** {@return what is wrong with a loop and what shows it; if nothing is, the key that made it spin last} */
    private static String why(Interval loop) {
        Sample now = loop.now();
        if (now.isInTrouble()) {
            String evidence = now.text(LoopLine.EVIDENCE);
            return Printable.of(now.text(LoopLine.VERDICT) + ' ' + Table.time(now.value(LoopLine.VERDICT_NANOS))
                    + (evidence.isEmpty() ? "" : ": " + evidence));
        }
        String last = now.text(LoopLine.LAST_SPIN);
        return last.isEmpty() ? "" : "made to spin last by: " + Printable.of(last);
    }

    /** {@return those of the rows that there is room for, the chosen one among them; most of it is the stack's} */
    private static List<Interval> window(List<Interval> rows, View view, TerminalSize size, int reasons) {
        boolean hasStack = view.stackOf(rows).isPresent();
        if (size.hasRoomFor(rows.size() + reasons) && !hasStack) {
            return rows;
        }
        int lines = size.rows() - OTHERS - reasons;
        int room = Math.max(MIN_ROWS, Math.min(rows.size(), hasStack ? lines / SHARE : lines - 1));
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
