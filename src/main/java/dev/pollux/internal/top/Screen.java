// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.insight.Printable;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Where {@code top} shows what it has found: a terminal, whose screen it draws anew each time, or a file or pipe, to
 * which it adds. On a terminal a thread of its own reads commands, which are lines: so the terminal needs no other
 * mode, and nothing must be restored.
 */
final class Screen {
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_REST = "\033[J";
    private static final String CLEAR_ALL = HOME + CLEAR_REST;

    private final PrintStream out;
    private final TopOptions options;
    private final boolean isTerminal;
    private volatile boolean showsStack;
    private volatile boolean isLeft;

    Screen(PrintStream out, TopOptions options) {
        this.out = out;
        this.options = options;
        showsStack = options.stack();
        isTerminal = !options.once() && !options.json() && isTerminal();
        if (isTerminal) {
            out.print(CLEAR_ALL);
            Thread commands = new Thread(this::obey, "commands");
            commands.setDaemon(true);
            commands.start();
        }
    }

    /** From JDK 22 on there may be a console without a terminal, which it then can tell. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException beforeJdk22) {
            return true;
        }
    }

    private void obey() {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        try {
            for (String line = in.readLine(); line != null && !isLeft; line = in.readLine()) {
                showsStack ^= line.strip().equals("s");
                isLeft = line.strip().equals("q");
            }
        } catch (IOException e) {
            // there are no more commands then
        }
    }

    boolean showsStack() {
        return showsStack;
    }

    /** {@return whether the user has asked to quit} */
    boolean isLeft() {
        return isLeft;
    }

    /** Shows this; the stack is that of the loop with this number. */
    void show(List<Interval> loops, long number, List<String> stack) {
        if (options.json()) {
            out.println(Json.of(options.pid(), loops, number, stack));
        } else {
            TerminalSize size = isTerminal ? TerminalSize.now() : TerminalSize.UNKNOWN;
            draw(size.fitting(lines(size.hasRoomFor(loops.size()) ? loops : Interval.busiestFirst(loops), number,
                    stack)));
        }
        out.flush();
    }

    private List<String> lines(List<Interval> loops, long number, List<String> stack) {
        List<String> lines = new ArrayList<>();
        lines.add("Pollux, process " + options.pid() + ", "
                + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS)
                + (isTerminal ? "     s Enter: stack of the busiest, q Enter: quit" : ""));
        lines.addAll(Table.of(loops));
        if (number != 0) {
            lines.add("");
            lines.add("The busiest is loop " + number + (stack.isEmpty() ? "; " + whyNoStack(loops, number) : ":"));
            stack.forEach(call -> lines.add("    " + Printable.of(call)));
        }
        return lines;
    }

    private static String whyNoStack(List<Interval> loops, long number) {
        boolean isUnused = loops.stream().map(Interval::now)
                .anyMatch(loop -> loop.value(Sample.LOOP) == number && loop.isUnused());
        return isUnused ? "no thread has used it yet" : "its thread has ended";
    }

    private void draw(List<String> lines) {
        if (isTerminal) {
            StringBuilder screen = new StringBuilder(HOME);
            lines.forEach(line -> screen.append(line).append(CLEAR_LINE).append('\n'));
            out.print(screen.append(CLEAR_REST));
        } else {
            lines.forEach(out::println);
            if (!options.once()) {
                out.println();
            }
        }
    }
}
