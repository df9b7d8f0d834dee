// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.tell.LoopLine;
import dev.pollux.tools.top.Terminal.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is shown of one second: a title, the table, what is wrong with each loop in trouble, and all that is known of
 * one loop. Immutable.
 *
 * @param troubles the number of rows of loops in trouble; they are the first ones
 */
record Page(List<String> lines, long troubles) {
    /** The title, and the heading of the table. */
    private static final int ABOVE = 2;

    /** A line for the rows that there is no room for, and one for the cursor. */
    private static final int BELOW = 2;

    /** {@return a page for a terminal of this size; the stack is that of the loop whose details are shown} */
    static Page of(String title, List<Interval> all, Optional<Interval> detailed, List<String> stack, Size size) {
        List<Interval> loops = all.stream().sorted(Interval.WORST_FIRST).toList();
        int width = size.columns() - 1; // some terminals wrap behind the last column
        List<String> below = new ArrayList<>();
        loops.stream().filter(loop -> loop.now().isInTrouble() && !detailed.equals(Optional.of(loop)))
                .forEach(loop -> below.addAll(wrap("Loop " + loop.number() + ", " + why(loop), width)));
        detailed.ifPresent(loop -> below.addAll(details(loop, Interval.busiest(all).equals(detailed), stack, width)));
        int room = size.rows() - ABOVE - BELOW;
        List<Interval> some = loops.subList(0, Math.min(loops.size(), Math.max(room / 2, room - below.size())));
        long troubles = loops.stream().filter(loop -> loop.now().isInTrouble()).count();
        List<String> lines = new ArrayList<>();
        lines.add(title + "   " + loops.size() + " loops" + (troubles == 0 ? "" : ", " + troubles + " in trouble"));
        lines.addAll(Table.of(some, width));
        if (some.size() < loops.size()) {
            lines.add("and " + (loops.size() - some.size()) + " more");
        }
        lines.addAll(below);
        return new Page(fit(lines, size.rows() - 1, width), Math.min(troubles, some.size()));
    }

    /** {@return whether this line is the row of a loop in trouble} */
    boolean isTrouble(int line) {
        return line >= ABOVE && line < ABOVE + troubles;
    }

    /** {@return what is known of one loop: what is wrong, who woke it, its thread's stack} */
    private static List<String> details(Interval loop, boolean isBusiest, List<String> stack, int width) {
        Sample now = loop.now();
        String none = now.isUnused() ? "; no thread has used it" : "; its thread has ended";
        List<String> lines = new ArrayList<>(List.of("", (isBusiest ? "The busiest is loop " : "Loop ") + loop.number()
                + (stack.isEmpty() ? none : ":"), Table.details(loop)));
        lines.addAll(wrap(why(loop), width));
        String lock = Printable.of(now.text(LoopLine.LOCK));
        if (!now.text(LoopLine.EVIDENCE).contains(lock)) {
            lines.addAll(wrap(lock, width));
        }
        if (!now.text(LoopLine.GATE).isEmpty()) {
            lines.addAll(wrap("gate: " + Printable.of(now.text(LoopLine.GATE)), width));
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

    /** {@return this text in lines that fit, broken at spaces if there are any; none if it is empty} */
    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > width) {
            int space = rest.lastIndexOf(' ', width);
            int end = space > 0 ? space : Math.max(1, width);
            lines.add(rest.substring(0, end));
            rest = rest.substring(end).stripLeading();
        }
        if (!rest.isEmpty()) {
            lines.add(rest);
        }
        return lines;
    }

    /** {@return of these lines what there is room for} */
    private static List<String> fit(List<String> lines, int rows, int width) {
        int count = lines.size() <= rows ? lines.size() : Math.max(1, rows - 1);
        List<String> shown = new ArrayList<>(lines.subList(0, count));
        if (shown.size() < lines.size()) {
            shown.add("... and " + (lines.size() - shown.size()) + " more lines; --once shows all");
        }
        shown.replaceAll(line -> line.substring(0, Math.min(line.length(), width)));
        return shown;
    }
}
