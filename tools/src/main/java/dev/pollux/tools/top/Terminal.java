// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Where {@code top} shows its pages: a terminal, which is painted again each time, or a file, pipe or terminal without
 * escape sequences, to which lines are added. A terminal hands each key over at once and does not echo it, if stty(1)
 * can tell it so. A shutdown hook restores its modes: after Ctrl-C and {@code kill}, too. Used by one thread beside it.
 */
final class Terminal implements AutoCloseable {
    /** No key has been pressed. */
    static final int NO_KEY = -1;

    /** Ctrl-Z is off, since it would leave these modes to the shell. */
    private static final List<String> KEYS_AT_ONCE =
            List.of("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef");
    private static final long KEY_MILLIS = 20;

    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_REST = "\033[J";
    private static final String PLAIN = "\033[m";

    private final PrintWriter out;
    private final boolean hasKeys;
    private final boolean isPainted;

    /** What it says is told by words, too. */
    private final String trouble = System.getenv("NO_COLOR") == null ? "\033[1;31m" : "\033[1m";

    /** The modes as they were, in the words of {@code stty -g}; empty if they stay. */
    private final String saved;

    /** A size that is asked for too late must not set the modes again. */
    private boolean isClosed;

    /** How many lines there are, and how long they may be. */
    record Size(int rows, int columns) {
        static final Size UNLIMITED = new Size(Integer.MAX_VALUE, Integer.MAX_VALUE);

        /** {@return what stty has printed: lines and columns, which are 0 if the terminal does not know them} */
        static Size of(String printed) {
            String[] size = printed.split(" ");
            try {
                Size told = new Size(Integer.parseInt(size[0]), Integer.parseInt(size[1]));
                return told.rows > 0 && told.columns > 0 ? told : UNLIMITED;
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException noSize) {
                return UNLIMITED;
            }
        }
    }

    /** Plain output is for programs, and for files. */
    Terminal(PrintWriter out, boolean isPlain) {
        this.out = out;
        hasKeys = !isPlain && isTerminal();
        isPainted = hasKeys && knowsEscapes(System.getenv("TERM"));
        saved = isPainted ? stty(List.of("-g")) : "";
        if (!saved.isEmpty()) {
            Runtime.getRuntime().addShutdownHook(new Thread(this::close, "terminal"));
            size();
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

    /** {@return what the keys do, for the first line} */
    String hint() {
        String enter = saved.isEmpty() ? " Enter" : "";
        return hasKeys ? "   s" + enter + ": stack, q" + enter + ": quit" : "";
    }

    /** {@return the size at this moment: a window may be made smaller} Sets the modes again: a shell may have reset. */
    synchronized Size size() {
        List<String> arguments = new ArrayList<>(saved.isEmpty() || isClosed ? List.of() : KEYS_AT_ONCE);
        arguments.add("size");
        Size size = hasKeys ? Size.of(stty(arguments)) : Size.UNLIMITED;
        return isPainted ? size : new Size(Integer.MAX_VALUE, size.columns());
    }

    /** {@return the next key that is pressed; {@link #NO_KEY} if none is until this time} */
    int awaitKey(long nanoTime) throws IOException, InterruptedException {
        while (!hasKeys || System.in.available() == 0) {
            if (System.nanoTime() - nanoTime >= 0) {
                return NO_KEY;
            }
            TimeUnit.MILLISECONDS.sleep(KEY_MILLIS);
        }
        return System.in.read();
    }

    /** Shows this page instead of the one before, or below it. */
    void show(Page page) {
        if (!isPainted) {
            page.lines().forEach(out::println);
            out.print(hasKeys ? System.lineSeparator() : "");
            return;
        }
        StringBuilder screen = new StringBuilder(HOME);
        for (int i = 0; i < page.lines().size(); i++) {
            String line = page.lines().get(i);
            screen.append(page.isTrouble(i) ? trouble + line + PLAIN : line).append(CLEAR_LINE).append('\n');
        }
        out.print(screen.append(CLEAR_REST));
    }

    /** {@return what stty(1) prints for the terminal that controls this process; empty if there is none, or no stty} */
    private static String stty(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(arguments);
        try {
            Process stty = new ProcessBuilder(command).redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException noTerminal) {
            return "";
        }
    }

    @Override
    public synchronized void close() {
        if (!isClosed && !saved.isEmpty()) {
            stty(List.of(saved));
        }
        isClosed = true;
    }
}
