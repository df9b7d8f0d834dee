// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.tools.tool.Arguments;
import dev.pollux.tools.tool.JsonObject;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The output of {@code top}: a terminal, whose screen is drawn again each time, or a file, pipe or terminal without
 * escape sequences, to which lines are added. Used by one thread.
 */
final class Screen {
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_REST = "\033[J";
    private static final String CLEAR_ALL = HOME + CLEAR_REST;
    private static final String BOLD = "\033[1m";
    private static final String RED = "\033[31m";
    private static final String REVERSE = "\033[7m";
    private static final String PLAIN = "\033[m";

    private final PrintStream out;
    private final long pid;
    private final boolean isOnce;
    private final boolean isJson;

    /** Empty if the output is none. */
    private final Optional<Terminal> terminal;
    private final boolean isRedrawn;
    private final String trouble = System.getenv("NO_COLOR") == null ? BOLD + RED : BOLD;
    private TerminalSize size = TerminalSize.UNKNOWN;

    private Screen(PrintStream out, long pid, Arguments arguments) {
        this.out = out;
        this.pid = pid;
        isOnce = arguments.has("--once");
        isJson = arguments.has("--json");
        terminal = isOnce || isJson ? Optional.empty() : Terminal.open();
        isRedrawn = terminal.filter(Terminal::hasEscapes).isPresent();
        clear();
    }

    /** Shows the loops of another virtual machine until the user quits, or the output can't be written. */
    static void run(Target target, Path jar, PrintStream out, Arguments arguments)
            throws IOException, InterruptedException {
        Screen screen = new Screen(out, target.pid(), arguments); // first: keys are not to be echoed meanwhile
        try (Link link = Link.connect(target, jar)) {
            boolean isByLine = screen.terminal.filter(Terminal::hasKeysAtOnce).isEmpty();
            Keys keys = new Keys(new InputStreamReader(System.in, Charset.defaultCharset()), isByLine);
            if (screen.terminal.isPresent()) {
                keys.start();
            }
            new Session(link, screen, new View(arguments.has("--stack"), screen.isRedrawn), keys).run(screen.isOnce);
        } finally {
            screen.terminal.ifPresent(Terminal::close);
        }
    }

    /** {@return whether a key shows its effect at once} */
    boolean isRedrawn() {
        return isRedrawn;
    }

    /** Asks for the size again. */
    void measure() {
        size = terminal.map(Terminal::size).orElse(TerminalSize.UNKNOWN);
    }

    void suspend() throws InterruptedException {
        if (terminal.isPresent()) {
            terminal.get().suspend();
            measure();
            clear();
        }
    }

    private void clear() {
        if (isRedrawn) {
            out.print(CLEAR_ALL);
        }
    }

    /** Shows this; the stack is that of the loop that the view says. Returns false if it could not be written. */
    boolean show(View view, List<Interval> loops, List<String> stack) {
        if (isJson) {
            long number = view.stackOf(loops).map(Interval::number).orElse(0L);
            out.println(json(Instant.now(), pid, loops, number, stack));
        } else if (isRedrawn) {
            view.rows(loops, size::hasRoomFor); // which decides the order that the first line tells
            redraw(Frame.of(first(view, loops), view, loops, stack, size), view);
        } else {
            TerminalSize wide = new TerminalSize(TerminalSize.UNKNOWN.rows(), size.columns());
            Frame.of(first(view, loops), view, loops, stack, wide).lines().forEach(out::println);
            if (!isOnce) {
                out.println();
            }
        }
        return !out.checkError();
    }

    /** {@return what {@code top --json} prints: one object; the stack is that of the loop with this number} */
    static JsonObject json(Instant time, long pid, List<Interval> loops, long number, List<String> stack) {
        return new JsonObject().put("time", time.truncatedTo(ChronoUnit.MILLIS).toString()).put("pid", pid)
                .put("loops", loops.stream()
                        .map(loop -> loop.json(loop.number() == number ? stack : List.of())).toList());
    }

    private String first(View view, List<Interval> loops) {
        String first = "Pollux, process " + pid + ", "
                + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
        if (!isRedrawn) {
            return first + (terminal.isPresent() ? "     s Enter: stack, q Enter: quit" : "");
        }
        if (view.isTyping()) {
            return "Show thread, mechanism or state with: " + view.filter() + '_';
        }
        long troubles = loops.stream().filter(loop -> loop.now().isInTrouble()).count();
        String enter = terminal.filter(Terminal::hasKeysAtOnce).isPresent() ? "" : " Enter";
        return first + "   ?" + enter + ": help   " + loops.size() + " loops"
                + (troubles == 0 ? "" : ", " + troubles + " in trouble")
                + ", by " + view.order().words() + (view.filter().isEmpty() ? "" : ", /" + view.filter());
    }

    private void redraw(Frame frame, View view) {
        StringBuilder screen = new StringBuilder(HOME);
        List<String> lines = size.fit(frame.lines());
        for (int i = 0; i < lines.size(); i++) {
            Interval loop = frame.loop(i);
            String line = loop == null ? lines.get(i) : styled(lines.get(i), loop, view);
            screen.append(line).append(CLEAR_LINE).append('\n');
        }
        out.print(screen.append(CLEAR_REST));
    }

    /** What it says is told by words and characters, too. */
    private String styled(String row, Interval loop, View view) {
        boolean isChosen = view.isChosen(loop);
        String marked = isChosen && row.startsWith(" ") ? '>' + row.substring(1) : row;
        String style = (loop.now().isInTrouble() ? trouble : "") + (isChosen ? REVERSE : "");
        return style.isEmpty() ? marked : style + marked + PLAIN;
    }
}
