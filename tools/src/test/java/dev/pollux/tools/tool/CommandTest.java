// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.tools.tool.Command.Option;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a command says of itself, and of a command line. */
class CommandTest {
    private static final List<Option> OPTIONS = List.of(new Option("--seconds N", "how long, 1 to 9; default: 4"),
            new Option("--json", "print one JSON object"));
    private static final String USAGE = "usage: java -jar pollux.jar try [DIR] [--seconds N] [--json]\n";

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void helpTellsOptionsAndExitCodes() {
        for (String help : List.of("--help", "-h")) {
            assertEquals(0, run(command("[DIR]", arguments -> true), "a", help));
            assertEquals(USAGE + "\nTries.\n\n"
                    + "  --seconds N   how long, 1 to 9; default: 4\n"
                    + "  --json        print one JSON object\n"
                    + "  -h, --help    show this text\n\n"
                    + "More.\nExit code: 0, 1 if it fails, 2 if the command line is wrong.\n", said());
        }
    }

    @Test
    void optionsAndOperandAreFoundInAnyOrder() {
        Command command = command("[DIR]", arguments -> arguments.has("--json") && arguments.text("DIR").equals("a")
                && arguments.number("--seconds", 1, 9, 4) == 7);
        assertEquals(0, run(command, "--json", "--seconds", "7", "a"));
        assertEquals(0, run(command, "a", "--seconds", "7", "--json"));
    }

    @Test
    void whatIsNotThereHasItsDefault() {
        assertEquals(0, run(command("[DIR]", arguments -> !arguments.has("--json") && arguments.text("DIR") == null
                && arguments.number("--seconds", 1, 9, 4) == 4)));
    }

    @Test
    void aWrongCommandLineIsToldWithTheUsage() {
        assertWrong("unknown option --quick", "[DIR]", "--quick");
        assertWrong("more than one DIR: a and b", "[DIR]", "a", "b");
        assertWrong("DIR is missing", "DIR", "--json");
        assertWrong("unexpected argument a", "", "a");
        assertWrong("a value is missing: --seconds N", "[DIR]", "--seconds");
        assertWrong("a value is missing: --seconds N", "[DIR]", "--seconds", "--json");
        assertWrong("wrong --seconds: 0", "[DIR]", "--seconds", "0");
        assertWrong("wrong --seconds: 10", "[DIR]", "--seconds", "10");
        assertWrong("wrong --seconds: x", "[DIR]", "--seconds", "x");
    }

    @Test
    void whatFailsEndsWithOneAndTheReason() {
        assertEquals(1, run(command("", arguments -> false)));
        assertEquals("", said());
        assertEquals(1, run(command("", arguments -> {
            throw new IOException("it is too late");
        })));
        assertEquals("it is too late\n", said());
        assertEquals(1, run(command("", arguments -> {
            throw new NoSuchFileException("/nowhere");
        })));
        assertEquals("try failed: java.nio.file.NoSuchFileException: /nowhere\n", said());
    }

    @Test
    void aLimitOfDescriptorsIsNamedWithWhatToRaise() {
        assertEquals(1, run(command("", arguments -> {
            throw new FileSystemException("/file", null, "Too many open files");
        })));
        assertEquals("try failed: java.nio.file.FileSystemException: /file: Too many open files."
                + " Raise the limit of open files (ulimit -n)\n", said());
    }

    private void assertWrong(String reason, String operand, String... line) {
        assertEquals(2, run(command(operand, arguments -> {
            arguments.number("--seconds", 1, 9, 4);
            return true;
        }), line));
        String usage = USAGE.replace(" [DIR]", operand.isEmpty() ? "" : ' ' + operand);
        assertEquals(reason + '\n' + usage, said());
    }

    /** What is done with the command line. */
    private interface Work {
        boolean on(Arguments arguments) throws IOException;
    }

    private static Command command(String operand, Work work) {
        return new Command("try", "tries", operand, OPTIONS, "Tries.\n", "More.\n", "it fails",
                (arguments, out) -> work.on(arguments) ? 0 : Command.FAILED);
    }

    private int run(Command command, String... line) {
        PrintStream both = new PrintStream(printed, true, US_ASCII);
        return command.run(List.of(line), both, both);
    }

    private String said() {
        String said = printed.toString(US_ASCII).replace(System.lineSeparator(), "\n");
        printed.reset();
        return said;
    }
}
