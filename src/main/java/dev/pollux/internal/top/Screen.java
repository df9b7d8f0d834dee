// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.insight.Printable;
import dev.pollux.internal.tool.Arguments;
import dev.pollux.internal.tool.JsonObject;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * The output of {@code top}: a terminal, whose screen is drawn again each time, or a file, pipe or terminal without
 * escape sequences, to which lines are added. A thread of its own reads commands from a terminal. They are lines, so
 * that the terminal needs no other mode.
 */
final class Screen {
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_REST = "\033[J";
    private static final String CLEAR_ALL = HOME + CLEAR_REST;

    private final PrintStream out;
    private final long pid;
    private final boolean isOnce;
    private final boolean isJson;
    private final boolean isTerminal;
    private final boolean isRedrawn;
    private volatile boolean showsStack;
    private volatile boolean hasQuit;

    Screen(PrintStream out, long pid, Arguments arguments) {
        this.out = out;
        this.pid = pid;
        isOnce = arguments.has("--once");
        isJson = arguments.has("--json");
        showsStack = arguments.has("--stack");
        isTerminal = !isOnce && !isJson && isTerminal();
        isRedrawn = isTerminal && knowsEscapes(System.getenv("TERM"));
        if (isRedrawn) {
            out.print(CLEAR_ALL);
        }
        if (isTerminal) {
            Thread commands = new Thread(this::readCommands, "commands");
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

    /** {@return whether a terminal of this type can be told to go back to its first line} */
    static boolean knowsEscapes(String type) {
        return type != null && !type.isEmpty() && !type.equals("dumb");
    }

    private void readCommands() {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        try {
            for (String line = in.readLine(); line != null && !hasQuit; line = in.readLine()) {
                showsStack ^= line.strip().equals("s");
                hasQuit = line.strip().equals("q");
            }
        } catch (IOException e) {
            // there are no more commands then
        }
    }

    boolean showsStack() {
        return showsStack;
    }

    /** {@return whether the user has asked to quit} */
    boolean hasQuit() {
        return hasQuit;
    }

    /** Shows this, with the stack of the loop with this number; returns false if it could not be written. */
    boolean show(List<Interval> loops, long number, List<String> stack) {
        if (isJson) {
            out.println(json(Instant.now(), pid, loops, number, stack));
        } else {
            TerminalSize size = isTerminal ? TerminalSize.now() : TerminalSize.UNKNOWN;
            boolean isSorted = isRedrawn && !size.hasRoomFor(loops.size());
            List<String> lines = lines(isSorted ? Interval.busiestFirst(loops) : loops, size.width(), number, stack);
            draw(isRedrawn ? size.fit(lines) : lines);
        }
        return !out.checkError();
    }

    /** {@return what {@code top --json} prints: one object; the stack is that of the loop with this number} */
    static JsonObject json(Instant time, long pid, List<Interval> loops, long number, List<String> stack) {
        return new JsonObject().put("time", time.truncatedTo(ChronoUnit.MILLIS).toString()).put("pid", pid)
                .put("loops", loops.stream()
                        .map(loop -> loop.json(loop.now().value(Sample.LOOP) == number ? stack : List.of())).toList());
    }

    private List<String> lines(List<Interval> loops, int width, long number, List<String> stack) {
        List<String> lines = new ArrayList<>();
        lines.add("Pollux, process " + pid + ", "
                + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS)
                + (isTerminal ? "     s Enter: stack, q Enter: quit" : ""));
        lines.addAll(Table.of(loops, width));
        if (number != 0) {
            lines.add("");
            lines.add("The busiest is loop " + number + (stack.isEmpty() ? "; its thread has ended" : ":"));
            stack.forEach(call -> lines.add("    " + Printable.of(call)));
        }
        return lines;
    }

    private void draw(List<String> lines) {
        if (isRedrawn) {
            StringBuilder screen = new StringBuilder(HOME);
            lines.forEach(line -> screen.append(line).append(CLEAR_LINE).append('\n'));
            out.print(screen.append(CLEAR_REST));
        } else {
            lines.forEach(out::println);
            if (!isOnce) {
                out.println();
            }
        }
    }
}
