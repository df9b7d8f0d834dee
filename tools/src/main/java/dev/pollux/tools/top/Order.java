// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.tell.LoopLine;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** By what the rows are sorted. But for the loop's number, the largest comes first. */
enum Order {
    NUMBER("NR", loop -> -loop.now().value(LoopLine.LOOP)),
    KEYS("KEYS", loop -> loop.now().value(LoopLine.KEYS)),
    SELECTIONS("SEL/S", loop -> loop.perSecond(Counter.SELECTIONS)),
    READY("READY/S", loop -> loop.perSecond(Counter.READY)),
    UTILIZATION("UTILIZATION", Interval::utilization),
    LONGEST("LONGEST", Interval::longestBusyNanos);

    private final String heading;
    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final ToDoubleFunction<Interval> size;

    Order(String heading, ToDoubleFunction<Interval> size) {
        this.heading = heading;
        this.size = size;
    }

    /** {@return the one whose name begins with this letter, in upper case} */
    static Optional<Order> of(char letter) {
        return Stream.of(values()).filter(order -> order.name().charAt(0) == letter).findFirst();
    }

    /** {@return the column that shows it} */
    String heading() {
        return heading;
    }

    String words() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the one of a column further to the right, or to the left; the same if there is none} */
    Order next(int step) {
        return values()[Math.max(0, Math.min(values().length - 1, ordinal() + step))];
    }

    List<Interval> sort(List<Interval> loops, boolean isReversed) {
        Comparator<Interval> smallestFirst = Comparator.comparingDouble(size);
        return loops.stream().sorted(isReversed ? smallestFirst : smallestFirst.reversed()).toList();
    }
}
