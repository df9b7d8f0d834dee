// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A command of {@code java -jar pollux.jar}: what its command line may have, its help, and what it does. Immutable.
 *
 * @param name        the first argument, which chooses it
 * @param summary     what it does, in one line for the list of commands
 * @param operand     the argument that is no option; in brackets if it may be missing, empty if there is none
 * @param options     all but {@code --help}
 * @param description what it does, for its help
 * @param notes       the end of its help, below the options; each line ends with a line feed
 * @param failure     when the exit code is 1
 */
public record Command(String name, String summary, String operand, List<Option> options, String description,
        String notes, String failure, Action action) {
    /** The exit code of what has failed. */
    public static final int FAILED = 1;

    /** The exit code if the command line is wrong. */
    public static final int WRONG_COMMAND_LINE = 2;

    /** The exit code if nothing has failed, and not all was done. */
    public static final int INCOMPLETE = 3;

    private static final Option HELP = new Option("-h, --help", "show this text");

    /** An option as on the command line, with the name of its value: {@code --platform NAME}; and what it does. */
    public record Option(String form, String text) {
        String name() {
            return form.split(" ")[0];
        }

        boolean takesValue() {
            return form.contains(" ");
        }
    }

    /** What a command does. */
    public interface Action {
        /** {@return the exit code; it has printed why it is not 0} Of the JDK's exceptions the class is told, too. */
        int run(Arguments arguments, PrintStream out) throws IOException, InterruptedException;
    }

    /** {@return the exit code, when it has done what these arguments ask for} */
    public int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.contains("-h") || arguments.contains("--help")) {
            out.print(help());
            return 0;
        }
        try {
            return action.run(new Arguments(this, arguments), out);
        } catch (WrongArgumentException e) {
            err.println(e.getMessage());
            return WRONG_COMMAND_LINE;
        } catch (IOException e) {
            String text = e.getClass() == IOException.class ? e.getMessage() : name + " failed: " + e;
            boolean isDescriptorLimit = text.contains("Too many open files") && !text.contains("ulimit -n");
            err.println(isDescriptorLimit ? text + ". Raise the limit of open files (ulimit -n)" : text);
            return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    String usage() {
        return "usage: java -jar pollux.jar " + name + (operand.isEmpty() ? "" : ' ' + operand)
                + options.stream().map(option -> " [" + option.form + ']').collect(Collectors.joining());
    }

    private String help() {
        List<Option> all = new ArrayList<>(options);
        all.add(HELP);
        int width = all.stream().mapToInt(option -> option.form.length()).max().orElseThrow();
        return usage() + "\n\n" + description + '\n'
                + all.stream().map(option -> String.format("  %-" + width + "s   %s\n", option.form, option.text))
                        .collect(Collectors.joining())
                + '\n' + notes + "Exit code: 0, 1 if " + failure + ", 2 if the command line is wrong.\n";
    }
}
