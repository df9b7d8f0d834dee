// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import java.util.List;

/**
 * The command line. Immutable.
 *
 * @param pid   the virtual machine to look at; 0 if none is named
 * @param once  whether to show what one second brings, and end
 * @param json  whether to print JSON
 * @param stack whether to show the stack of the busiest loop from the beginning
 * @param help  whether the user asks for help
 */
record TopOptions(long pid, boolean once, boolean json, boolean stack, boolean help) {
    static final String HELP = """
            usage: java -jar pollux.jar top [PID] [--once] [--json] [--stack]

            Shows each second what every selector, Poller and InterruptServer of a Java virtual machine does.
            Without a PID it lists the virtual machines; those on Pollux are marked.

              --once      show what one second brings, and end
              --json      print one JSON object for each second, on one line
              --stack     show the stack of the busiest loop's thread, too
              -h, --help  show this text

            While it runs: s and Enter shows or hides the stack, q and Enter quits.
            Exit code: 0, 1 if the virtual machine can't be looked at or ends, or the output can't be written any more,
            2 if the command line is wrong.
            """;

    static TopOptions of(List<String> arguments) throws TopException {
        long pid = 0;
        for (String argument : arguments) {
            if (!List.of("--once", "--json", "--stack", "--help").contains(argument)) {
                if (argument.startsWith("-")) {
                    throw usage("unknown option " + argument);
                } else if (pid != 0) {
                    throw usage("more than one PID: " + pid + " and " + argument);
                }
                pid = pid(argument);
            }
        }
        return new TopOptions(pid, arguments.contains("--once"), arguments.contains("--json"),
                arguments.contains("--stack"), arguments.contains("--help"));
    }

    private static long pid(String argument) throws TopException {
        try {
            long pid = Long.parseLong(argument);
            if (pid > 0) {
                return pid;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw usage("not a PID: " + argument);
    }

    private static TopException usage(String message) {
        return new TopException(message + System.lineSeparator() + HELP.lines().findFirst().orElseThrow(),
                TopException.USAGE);
    }
}
