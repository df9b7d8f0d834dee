// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.tell.LoopLine;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/** What the user wants to see, which keys change: one loop's stack, an order, some of the loops. Used by one thread. */
final class View {
    static final List<String> HELP = List.of(
            "up, down, k, j      choose a loop",
            "Enter, s            show or hide its stack, or the one of the busiest",
            "Esc                 choose none, and show all",
            "<, >, left, right   sort by a column further to the left, or to the right",
            "N K S R U L         by number, keys, selections, ready, utilization, longest",
            "r                   reverse the order",
            "/ text Enter        show loops whose thread, mechanism or state has the text",
            "f                   fold idle and unused loops into one line, or show them",
            "?, h                show or hide this page",
            "q, Ctrl-C           quit",
            "",
            "A loop in trouble is in bold, and its STATE says why: thread lost, stalled,",
            "blocked, spins, wakeup storm, woken (a storm, or many short tasks), refuses.");

    private final Map<Character, Runnable> commands = new HashMap<>();
    private final boolean isScreen;
    private boolean showsStack;
    private boolean isFolded;
    private boolean showsHelp;
    private boolean hasQuit;

    /** The user is typing the filter. */
    private boolean isTyping;
    private String filter = "";

    private Order order = Order.NUMBER;
    private boolean isOrderChosen;
    private boolean isReversed;

    /** The number of the loop that the user has chosen; 0 if there is none. */
    private long chosen;

    /** The keys of each loop when it was seen first, by its number. */
    private final Map<Long, Long> firstKeys = new HashMap<>();

    /** The numbers of the loops that were shown last, in their order. */
    private List<Long> shown = List.of();

    /** Of one who looks at a screen, which is for what matters, or of one who reads lines, which have all. */
    View(boolean showsStack, boolean isScreen) {
        this.showsStack = showsStack;
        this.isScreen = isScreen;
        isFolded = isScreen;
        addCommand("s\n", () -> this.showsStack ^= true);
        addCommand("f", () -> this.isFolded ^= true);
        addCommand("r", () -> isReversed ^= true);
        addCommand("?h", () -> showsHelp ^= true);
        addCommand("q", () -> hasQuit = true);
        addCommand("/", () -> isTyping = true);
        addCommand("k" + Keys.UP, () -> choose(-1));
        addCommand("j" + Keys.DOWN, () -> choose(1));
        addCommand("<" + Keys.LEFT, () -> sortBy(order.next(-1)));
        addCommand(">" + Keys.RIGHT, () -> sortBy(order.next(1)));
        addCommand("" + Keys.ESCAPE, this::showAll);
    }

    private void addCommand(String keys, Runnable command) {
        keys.chars().forEach(key -> commands.put((char) key, command));
    }

    /** Does what this key means; nothing if it means nothing. */
    void press(char key) {
        if (isTyping) {
            type(key);
        } else if (showsHelp && key != 'q') {
            showsHelp = false;
        } else {
            commands.getOrDefault(key, () -> Order.of(key).ifPresent(this::sortBy)).run();
        }
    }

    private void type(char key) {
        switch (key) {
            case Keys.ENTER -> isTyping = false;
            case Keys.ESCAPE -> {
                isTyping = false;
                filter = "";
            }
            case Keys.DELETE, Keys.BACKSPACE -> filter = filter.substring(0, Math.max(0, filter.length() - 1));
            default -> filter += Character.isISOControl(key) || key >= Keys.UP ? "" : key;
        }
    }

    private void showAll() {
        chosen = 0;
        filter = "";
    }

    private void sortBy(Order other) {
        isReversed = false;
        isOrderChosen = true;
        order = other;
    }

    private void choose(int step) {
        if (!shown.isEmpty()) {
            int before = shown.indexOf(chosen);
            int next = before < 0 && step < 0 ? shown.size() - 1 : before + step;
            chosen = shown.get(Math.max(0, Math.min(shown.size() - 1, next)));
        }
    }

    /** {@return the loops to show, in their order: the busiest first if there is not room for all, unless chosen} */
    List<Interval> rows(List<Interval> loops, IntPredicate hasRoomFor) {
        List<Interval> some = loops.stream().filter(this::matches).filter(loop -> !folds(loop)).toList();
        if (!isOrderChosen) {
            order = hasRoomFor.test(some.size()) ? Order.NUMBER : Order.UTILIZATION;
        }
        List<Interval> rows = order.sort(some, isReversed);
        loops.forEach(loop -> firstKeys.putIfAbsent(loop.number(), loop.now().value(LoopLine.KEYS)));
        shown = rows.stream().map(Interval::number).toList();
        return rows;
    }

    /** {@return how many keys this loop of the last rows has more than when it was seen first} */
    long keyGrowth(Interval loop) {
        return loop.now().value(LoopLine.KEYS) - firstKeys.get(loop.number());
    }

    /** {@return how many of these are folded into one line} */
    long folded(List<Interval> loops) {
        return loops.stream().filter(this::folds).count();
    }

    /** A filter finds idle loops, too. */
    private boolean folds(Interval loop) {
        return isFolded && filter.isEmpty() && !loop.isInUse() && !loop.now().isInTrouble();
    }

    private boolean matches(Interval loop) {
        String text = loop.now().text(LoopLine.THREAD) + '\n' + loop.now().text(LoopLine.MECHANISM) + '\n'
                + Table.state(loop);
        return text.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT));
    }

    /** {@return the one of these loops whose stack is shown; empty if none is} */
    Optional<Interval> stackOf(List<Interval> loops) {
        if (!showsStack) {
            return Optional.empty();
        }
        return loops.stream().filter(this::isChosen).findFirst().or(() -> Interval.busiest(loops));
    }

    /** {@return whether there is a line of details above the stack} */
    boolean showsDetails() {
        return isScreen;
    }

    boolean isChosen(Interval loop) {
        return loop.number() == chosen;
    }

    Order order() {
        return order;
    }

    String filter() {
        return filter;
    }

    boolean isTyping() {
        return isTyping;
    }

    boolean showsHelp() {
        return showsHelp;
    }

    /** {@return whether the user has asked to quit} */
    boolean hasQuit() {
        return hasQuit;
    }
}
