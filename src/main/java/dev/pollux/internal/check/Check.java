// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.check;

import dev.pollux.internal.check.Outcome.Result;
import dev.pollux.internal.command.JsonText;
import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code java -jar pollux.jar check}: tries out what selectors promise, in the user's own environment. Used by one
 * thread.
 */
public final class Check {
    private static final String HELP = """
            usage: java -jar pollux.jar check [--mechanism NAME] [--json]

            Tries out whether selectors keep their promises here: with real connections, datagrams, pipes, signals and
            threads, on every mechanism, within 15 seconds. It needs the loopback address, and nothing but this jar.

              --mechanism NAME   on this mechanism alone; a name that is not here is answered with those that are
              --json             print one JSON object
              -h, --help         show this text

            Each line has the mechanism, the check, and ok, FAILED or skipped with the reason.
            Exit code: 0, 1 if something failed, 2 if the command line is wrong.
            """;
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final PrintStream out;
    private final boolean json;
    private final List<Outcome> outcomes = new ArrayList<>();

    private Check(PrintStream out, boolean json) {
        this.out = out;
        this.json = json;
    }

    /**
     * Does what these arguments ask for.
     *
     * @return the exit code: 0; 1 if something failed; 2 if the arguments are wrong
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        List<String> rest = new ArrayList<>(arguments);
        if (rest.contains("--help")) {
            out.print(HELP);
            return 0;
        }
        boolean json = rest.remove("--json");
        String mechanism = null;
        if (rest.size() == 2 && rest.get(0).equals("--mechanism")) {
            mechanism = rest.get(1);
            rest.clear();
        }
        if (!rest.isEmpty()) {
            err.println("not a command line of check: " + String.join(" ", arguments));
            HELP.lines().findFirst().ifPresent(err::println);
            return USAGE;
        }
        Startup startup = Startup.outcome();
        try {
            startup.require(null);
        } catch (IOException e) {
            err.println(e.getMessage());
            return FAILED;
        }
        if (mechanism != null && !startup.mechanisms().contains(mechanism)) {
            err.println("no mechanism is called " + mechanism + " here; there are "
                    + String.join(", ", startup.mechanisms()));
            return USAGE;
        }
        return new Check(out, json).all(mechanism == null ? startup.mechanisms() : List.of(mechanism)) ? 0 : FAILED;
    }

    private boolean all(List<String> mechanisms) {
        Trials trials = new Trials();
        for (String mechanism : mechanisms) {
            trials.on(mechanism, this::tell);
        }
        String sum = count(Result.OK) + " ok, " + count(Result.FAILED) + " failed, " + count(Result.SKIPPED)
                + " skipped";
        out.println(json ? json() : sum);
        if (!json && count(Result.FAILED) > 0) {
            out.println("If this is not your system's doing, please report it with what java -jar pollux.jar prints.");
        }
        return count(Result.FAILED) == 0;
    }

    private void tell(Outcome outcome) {
        outcomes.add(outcome);
        if (!json) {
            out.println(outcome.line());
        }
    }

    private long count(Result result) {
        return outcomes.stream().filter(outcome -> outcome.result() == result).count();
    }

    private String json() {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("pollux", JsonText.quoted(Startup.version()));
        members.put("platform", JsonText.quoted(Startup.outcome().platform().folder()));
        members.put("jdk", JsonText.quoted(Runtime.version().toString()));
        members.put("ok", Long.toString(count(Result.OK)));
        members.put("failed", Long.toString(count(Result.FAILED)));
        members.put("skipped", Long.toString(count(Result.SKIPPED)));
        members.put("checks", JsonText.array(outcomes.stream().map(Outcome::json).collect(Collectors.toList())));
        return JsonText.object(members);
    }
}
