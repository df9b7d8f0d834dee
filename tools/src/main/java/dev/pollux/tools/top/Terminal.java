// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.Console;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The terminal of this process, which hands each key over at once and does not echo it, if stty(1) can tell it so. A
 * shutdown hook restores its modes: after Ctrl-C and {@code kill}, too. Safe for use by many threads.
 */
final class Terminal implements AutoCloseable {
    /** Ctrl-Z comes as a key, since the modes have to be restored before we stop. */
    private static final String[] KEYS_AT_ONCE = {"-icanon", "-echo", "min", "1", "time", "0", "susp", "undef"};

    private final boolean hasEscapes;

    /** The modes as they were, in the words of {@code stty -g}; empty if keys come when Enter is pressed. */
    private final Optional<String> saved;

    /** A size that is asked for too late must not set the modes again. */
    private boolean isClosed;

    private Terminal(boolean hasEscapes) {
        this.hasEscapes = hasEscapes;
        saved = hasEscapes ? Stty.run("-g").filter(modes -> Stty.run(KEYS_AT_ONCE).isPresent()) : Optional.empty();
        if (saved.isPresent()) {
            Runtime.getRuntime().addShutdownHook(new Thread(this::close, "terminal"));
        }
    }

    /** {@return the terminal; empty if standard input or output is none} */
    static Optional<Terminal> open() {
        return isTerminal() ? Optional.of(new Terminal(knowsEscapes(System.getenv("TERM")))) : Optional.empty();
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

    boolean hasEscapes() {
        return hasEscapes;
    }

    boolean hasKeysAtOnce() {
        return saved.isPresent();
    }

    /** {@return the size at this moment: a window may be made smaller} Sets the modes again: a shell may have reset. */
    synchronized TerminalSize size() {
        String[] modes = saved.isPresent() && !isClosed ? KEYS_AT_ONCE : new String[0];
        String[] arguments = Arrays.copyOf(modes, modes.length + 1);
        arguments[modes.length] = "size";
        return Stty.run(arguments).map(TerminalSize::of).orElse(TerminalSize.UNKNOWN);
    }

    /** Stops this process as Ctrl-Z does, with the others of its job; returns when it is continued. */
    synchronized void suspend() throws InterruptedException {
        saved.ifPresent(Stty::run);
        try {
            new ProcessBuilder("sh", "-c", "kill -TSTP 0").inheritIO().start().waitFor();
        } catch (IOException noShell) {
            // it goes on
        }
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            saved.ifPresent(Stty::run);
        }
        isClosed = true;
    }
}
