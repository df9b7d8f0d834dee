// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import dev.pollux.tools.check.Outcome.Result;
import dev.pollux.internal.startup.Startup;
import dev.pollux.tools.tool.Arguments;
import dev.pollux.tools.tool.Command;
import dev.pollux.tools.tool.Command.Option;
import dev.pollux.tools.tool.JsonObject;
import dev.pollux.tools.tool.WrongArgumentException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** {@code java -jar pollux-tools.jar check}: tries out what selectors promise, in the user's own environment. */
public final class Check {
    private final PrintStream out;
    private final boolean json;
    private final List<Outcome> outcomes = new ArrayList<>();

    private Check(PrintStream out, boolean json) {
        this.out = out;
        this.json = json;
    }

    /** {@return the command, which tries out a provider for each mechanism} */
    public static Command command(Function<String, SelectorProvider> providers) {
        return command(() -> new Trials(providers));
    }

    /** The same with trials of a test. */
    static Command command(Supplier<Trials> trials) {
        return new Command("check", "tries out whether selectors keep their promises here",
                "", List.of(new Option("--mechanism NAME",
                        "on this mechanism alone; a name that is not here is answered with those that are"),
                        new Option("--json", "print one JSON object")), """
                Tries out whether selectors keep their promises here: with real connections, datagrams, pipes, signals
                and threads, on every mechanism, within 15 seconds, or two minutes if the machine is busy. It needs the
                loopback address, and nothing but this jar.
                """, """
                Each line has the mechanism, the check, and ok, FAILED or skipped with the reason.
                Exit code 3: nothing failed, but for lack of time some checks were not begun or did not end.
                """, "something failed", (arguments, out) -> run(arguments, out, trials.get()));
    }

    private static int run(Arguments arguments, PrintStream out, Trials trials) throws IOException {
        Startup startup = Startup.outcome();
        startup.require(null);
        List<String> mechanisms = startup.mechanisms();
        if (arguments.has("--mechanism")) {
            String mechanism = arguments.text("--mechanism");
            if (!mechanisms.contains(mechanism)) {
                throw new WrongArgumentException("no mechanism is called " + mechanism + " here; there are "
                        + String.join(", ", mechanisms));
            }
            mechanisms = List.of(mechanism);
        }
        return new Check(out, arguments.has("--json")).runAll(mechanisms, trials);
    }

    private int runAll(List<String> mechanisms, Trials trials) {
        for (String mechanism : mechanisms) {
            trials.runAll(mechanism, this::report);
        }
        String sum = count(Result.OK) + " ok, " + count(Result.FAILED) + " failed, " + count(Result.SKIPPED)
                + " skipped";
        out.println(json ? json() : sum);
        if (!json && count(Result.FAILED) > 0) {
            out.println("If this is not your system's doing, please report it with what java -jar pollux.jar prints.");
        }
        long omitted = outcomes.stream().filter(Outcome::isOmitted).count();
        if (!json && omitted > 0) {
            out.println(omitted + " of " + outcomes.size() + " checks had no time. This says nothing of them: try again"
                    + " when the machine has less to do.");
        }
        return count(Result.FAILED) > 0 ? Command.FAILED : omitted > 0 ? Command.INCOMPLETE : 0;
    }

    private void report(Outcome outcome) {
        outcomes.add(outcome);
        if (!json) {
            out.println(Outcome.TABLE.row(outcome));
        }
    }

    private long count(Result result) {
        return outcomes.stream().filter(outcome -> outcome.result() == result).count();
    }

    private JsonObject json() {
        return new JsonObject().put("pollux", Startup.version())
                .put("platform", Startup.outcome().platform().folder())
                .put("jdk", Runtime.version().toString())
                .put("ok", count(Result.OK))
                .put("failed", count(Result.FAILED))
                .put("skipped", count(Result.SKIPPED))
                .put("checks", outcomes.stream().map(Outcome::json).toList());
    }
}
