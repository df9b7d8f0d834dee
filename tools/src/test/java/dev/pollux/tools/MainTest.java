// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What the command line says of itself, and its exit codes. */
class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"check", "compare", "top", "extract", "diagnose"})
    void eachCommandHasHelpWithItsExitCodes(String command) {
        for (String[] line : new String[][] {{command, "-h"}, {command, "--help"}, {"help", command}}) {
            assertEquals(0, run(line));
            String help = printed(out);
            assertTrue(help.startsWith("Usage: java -jar pollux-tools.jar " + command + ' '), help);
            assertTrue(help.contains("\nExit code:\n") && help.contains("2   the command line is wrong"), help);
            assertTrue(help.lines().allMatch(each -> each.length() <= 80), help);
        }
    }

    @Test
    void helpNamesEachCommandWithWhatItDoes() {
        for (String[] line : new String[][] {{"-h"}, {"--help"}, {"help"}}) {
            assertEquals(0, run(line));
            String help = printed(out);
            for (String command : List.of("check     Tries out", "compare   Measures", "top       Shows",
                    "extract   Writes", "diagnose  Prints")) {
                assertTrue(help.contains("\n  " + command), help);
            }
        }
    }

    @Test
    void eachCommandTellsTheVersion() {
        for (String[] line : new String[][] {{"--version"}, {"top", "--version"}, {"diagnose", "--version"}}) {
            assertEquals(0, run(line));
            assertEquals("Pollux " + Startup.version() + "\n", printed(out));
        }
    }

    @Test
    void aWrongCommandLineIsToldWithTheUsage() {
        assertWrong("Missing required subcommand", "");
        assertWrong("'bottom'", "", "bottom");
        assertWrong("--quick", "check ", "check", "--quick");
        assertWrong("'epoll'", "check ", "check", "epoll");
        assertWrong("--mechanism", "check ", "check", "--mechanism");
        assertWrong("no mechanism is called punch cards here; there are ", "check ", "check", "--mechanism",
                "punch cards");
        assertWrong("--seconds", "compare ", "compare", "--seconds", "--json");
        assertWrong("wrong --seconds: 0", "compare ", "compare", "--seconds", "0");
        assertWrong("wrong --seconds: 3601", "compare ", "compare", "--seconds", "3601");
        assertWrong("'x' is not an int", "compare ", "compare", "--seconds", "x");
        assertWrong("DIR", "extract ", "extract");
        assertWrong("'b'", "extract ", "extract", "a", "b");
        assertWrong("wrong PID: 0", "top ", "top", "0");
        assertWrong("-5", "top ", "top", "-5");
        assertWrong("'server' is not a long", "top ", "top", "server");
    }

    private void assertWrong(String reason, String command, String... line) {
        assertEquals(2, run(line));
        String told = printed(err);
        assertTrue(told.lines().findFirst().orElseThrow().contains(reason), told);
        assertTrue(told.contains("Usage: java -jar pollux-tools.jar " + command), told);
        assertEquals("", printed(out));
    }

    @Test
    void whatFailsEndsWithOneAndTheReason() {
        assertEquals("it is too late\n", failure(new IOException("it is too late")));
        assertEquals("try failed: java.nio.file.NoSuchFileException: /nowhere\n",
                failure(new NoSuchFileException("/nowhere")));
        assertEquals("", failure(new InterruptedException()));
        String ours = failure(new IllegalStateException("broken"));
        assertTrue(ours.startsWith("java.lang.IllegalStateException: broken\n\tat "), ours);
    }

    @Test
    void aLimitOfDescriptorsIsNamedWithWhatToRaise() {
        assertEquals("try failed: java.nio.file.FileSystemException: /file: Too many open files."
                + " Raise the limit of open files (ulimit -n)\n",
                failure(new FileSystemException("/file", null, "Too many open files")));
    }

    /** A command that fails. */
    @Command(name = "try")
    private record Failing(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }

    private String failure(Exception failure) {
        assertEquals(1, run(Main.commandLine().addSubcommand(new Failing(failure)), "try"));
        return printed(err);
    }

    private int run(String... line) {
        return run(Main.commandLine(), line);
    }

    private int run(CommandLine commands, String... line) {
        return commands.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(line);
    }

    private static String printed(StringWriter writer) {
        String printed = writer.toString().replace(System.lineSeparator(), "\n");
        writer.getBuffer().setLength(0);
        return printed;
    }
}
